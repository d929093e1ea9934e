"""Install clients from packages of Debian, each into a folder that its process sees as the root of the file system.

The packages are unpacked, and none of their scripts is run. ``apt-get`` reads the archive that this system reads, of
one release. Its lists and downloads are in a folder of their own, so that nothing of this system changes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from commands import run

__all__ = ["locked_packages", "program_command", "unpack"]

RELEASE = "forky"
"""The release of Debian. A lock can be installed as long as the release has the versions in it."""
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
BASE = "base-files"
"""The package with the folders of the file system. It is unpacked first."""

_ENTER = 'mount --rbind /dev "$0/dev" && HOME=/tmp LANG=C.UTF-8 exec chroot "$0" "$@"'
"""Runs a program with a folder as its root. ``unshare`` lets a user do that who is not root."""


def locked_packages(requirements: Sequence[str], folder: Path) -> list[str]:
    """Return the packages that requirements such as ``ruby`` or ``elpa-gptel=0.9.9.6-1`` need, as ``name=version``.

    ``apt-get`` works in ``folder``.
    """
    simulated = run(*_apt_get(folder), "--simulate", "install", BASE, *requirements, cwd=folder)
    return sorted(f"{name}={version}" for name, version in re.findall(r"^Inst (\S+) \((\S+)", simulated, re.M))


def unpack(packages: Iterable[str], folder: Path) -> None:
    """Download packages, written as ``name=version``, and unpack them into the folder ``root`` in ``folder``."""
    downloads = folder / "downloads"
    downloads.mkdir()
    run(*_apt_get(folder), "download", *packages, cwd=downloads)
    files = sorted(downloads.iterdir(), key=lambda file: (not file.name.startswith(f"{BASE}_"), file.name))
    for file in files:
        run("dpkg-deb", "--extract", file, folder / "root", cwd=folder)
    shutil.rmtree(downloads)


def program_command(folder: Path, program: Sequence[str]) -> list[str]:
    """Return the command that starts a program of the packages in the folder ``root`` in ``folder``."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", _ENTER, str(folder / "root"), *program]


def _apt_get(folder: Path) -> list[str | Path]:
    """Return ``apt-get`` with options for a system without packages in ``folder``, whose lists are up to date."""
    state = folder / "apt"
    for name in ("lists/partial", "archives/partial"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    archives = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", cwd=folder).split()
    source = f"deb [signed-by={KEYRING}] {archives[0]} {RELEASE} main\n"
    (state / "sources.list").write_text(source, "utf-8")
    options = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
    }
    command: list[str | Path] = ["apt-get", "-qq"]
    for name, value in options.items():
        command += ["-o", f"{name}={value}"]
    run(*command, "update", cwd=folder)
    return command
