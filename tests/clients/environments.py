"""Install the environment of a client from its lock once, and keep it in a cache.

The environment variable ``ISOGLOSS_CLIENTS_CACHE`` names the folder of the cache. Without it, the folder is
``~/.cache/isogloss/clients``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import debian
import registry
from commands import ClientUnavailable, run

__all__ = ["adapter_command"]

NODE = "node-22.23.3"
"""The lock of the Node.js that runs all clients from npm. Some clients need a newer one than most systems have."""
INTERPRETERS = {".rb": ["ruby"], ".el": ["emacs-nox", "--batch", "--load"], ".php": ["php8.4"]}
"""For each suffix of an adapter that runs with packages of Debian, the program that runs it.

Only a script of a package makes the name ``php``.
"""


def adapter_command(client: registry.Client, version: str) -> list[str]:
    """Return the command that starts the adapter of a client. Install the client's environment if it is missing."""
    folder = _install_client(client, version)
    if client.registry == "pypi":
        # With -P, an adapter does not import itself if it has the name of its client.
        return [str(folder / "bin" / "python"), "-P", "-u", str(client.adapter)]
    if client.registry == "debian":
        adapter = f"/adapters/{client.adapter.name}"
        return debian.program_command(folder, [*INTERPRETERS[client.adapter.suffix], adapter])
    return [_node_command(), str(folder / client.adapter.name)]


def _node_command() -> str:
    """Return the command of the locked Node.js, or ``node`` if there is no build of it for this system.

    Install it if it is missing.
    """
    lock = registry.FOLDER / "locks" / NODE
    folder = _cache_folder() / f"{NODE}-{_digest(lock / 'package-lock.json')}"
    if not (folder / "complete").exists():
        _install_npm(folder, lock)
        (folder / "complete").touch()
    node = folder / "node_modules" / ".bin" / "node"
    return str(node) if node.exists() else "node"


def _cache_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("ISOGLOSS_CLIENTS_CACHE") or base / "isogloss" / "clients")


def _install_client(client: registry.Client, version: str) -> Path:
    lock = client.lock(version)
    if not lock.exists():
        raise ClientUnavailable(f"{lock.name} is missing; write it with tests/clients/lock.py")
    folder = (
        _cache_folder() / f"{client.slug}-{version}-{_digest(lock if lock.is_file() else lock / 'package-lock.json')}"
    )
    if not (folder / "complete").exists():
        {"pypi": _install_pypi, "npm": _install_npm, "debian": _install_debian}[client.registry](folder, lock)
        (folder / "complete").touch()
    if client.registry == "npm":
        _copy_adapters(folder, ".mjs")
    elif client.registry == "debian":
        _copy_adapters(folder / "root" / "adapters", client.adapter.suffix)
    return folder


def _install_pypi(folder: Path, lock: Path) -> None:
    """Install exactly what the lock names. Use ``uv`` if it is on the path, since it is faster."""
    _empty(folder)
    if uv := shutil.which("uv"):
        run(uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, folder, cwd=folder)
        run(uv, "pip", "install", "--quiet", "--no-deps", "--python", folder / "bin" / "python", "-r", lock, cwd=folder)
        return
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    run(folder / "bin" / "pip", "install", "--quiet", "--no-deps", "-r", lock, cwd=folder)


def _install_npm(folder: Path, lock: Path) -> None:
    """Install exactly what the lock names, without running scripts of packages."""
    _empty(folder)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(lock / name, folder / name)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)


def _install_debian(folder: Path, lock: Path) -> None:
    """Install exactly what the lock names, without running scripts of packages."""
    _empty(folder)
    debian.unpack(lock.read_text("utf-8").split(), folder)


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()[:12]


def _copy_adapters(folder: Path, suffix: str) -> None:
    """Copy the adapters in one language to where their program finds them.

    Node.js looks for what they import beside them, and a program from Debian sees no other folder than its root.
    """
    adapters = registry.FOLDER / "adapters"
    (folder / "shared").mkdir(parents=True, exist_ok=True)
    for file in [*adapters.glob(f"*{suffix}"), *adapters.glob(f"shared/*{suffix}")]:
        shutil.copy(file, folder / file.relative_to(adapters))
