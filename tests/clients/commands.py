"""Run the commands that install clients."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

__all__ = ["ClientUnavailable", "run"]

TIMEOUT = 1200
"""Seconds that a command may take."""


class ClientUnavailable(Exception):
    """A client cannot be installed here. The message says why."""


def run(*arguments: str | Path, cwd: Path) -> str:
    """Run a command and return what it prints. Raise ``ClientUnavailable`` if it fails or does not exist."""
    if shutil.which(arguments[0]) is None:
        raise ClientUnavailable(f"{arguments[0]} is missing")
    result = subprocess.run(
        list(map(str, arguments)), cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    if result.returncode:
        raise ClientUnavailable(f"{arguments[0]} failed: {(result.stderr or result.stdout).strip()[-600:]}")
    return result.stdout
