"""Write the locks of clients: all packages of an environment, each with its version.

    python tests/clients/lock.py CLIENT [CLIENT ...]

This needs a package index, ``uv`` for clients from PyPI, ``npm`` for clients from npm, and ``apt-get`` for clients
from Debian. The versions of a client
come from its file in ``clients/``. For a client from npm, write ``locks/CLIENT-VERSION/package.json`` with exact
versions first. The versions of all other packages are the newest that fit. A version that has a lock is left as it is.
To lock it anew, remove the lock.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import debian
import registry

__all__ = ["main"]


def main(slugs: list[str]) -> int:
    """Write the locks that are missing. Return 0, or the exit code of ``uv`` or ``npm`` if that fails."""
    for client in map(registry.load_client, slugs):
        for version in client.versions:
            if code := _LOCKS[client.registry](client, version):
                return code
    return 0


def _lock_pypi(client: registry.Client, version: str) -> int:
    lock = client.lock(version)
    if lock.exists():
        return 0
    command = ["uv", "pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-emit-index-url"]
    command += ["--python-version", "3.11", "--output-file", str(lock)]
    return subprocess.run(command, input="\n".join(client.requirements(version)), text=True, check=False).returncode


def _lock_npm(client: registry.Client, version: str) -> int:
    """Lock what ``package.json`` names. The lock has checksums and no addresses, so that it fits every registry."""
    folder = client.lock(version)
    if (folder / "package-lock.json").exists():
        return 0
    command = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved=true"]
    return subprocess.run([*command, "--no-audit", "--no-fund"], cwd=folder, check=False).returncode


def _lock_debian(client: registry.Client, version: str) -> int:
    lock = client.lock(version)
    if not lock.exists():
        with tempfile.TemporaryDirectory() as folder:
            packages = debian.locked_packages(client.requirements(version), Path(folder))
        lock.write_text("".join(f"{package}\n" for package in packages), "utf-8")
    return 0


_LOCKS = {"pypi": _lock_pypi, "npm": _lock_npm, "debian": _lock_debian}

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
