"""Write ``action.lock``: the packages that the GitHub action installs, with their versions and hashes of their files.

    python scripts/lock_action.py [--upgrade]

Needs ``uv`` and a package index. Without ``--upgrade``, versions stay as long as they fit ``pyproject.toml``. The lock
is for all systems, and for every Python that isogloss supports. It also has the packages that build isogloss.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "action.lock"


def requirements() -> list[str]:
    """Return what must be installed before isogloss itself: its dependencies, and the packages that build it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["compression"],
        *project["build-system"]["requires"],
    ]


def main(argv: list[str]) -> int:
    """Write the lock, and return the exit code of ``uv``."""
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"].lstrip(">=")
    command = ["uv", "pip", "compile", "-", "--universal", "--generate-hashes", "--no-emit-index-url", "--quiet"]
    command += ["--no-annotate", "--python-version", oldest, "--output-file", str(LOCK), *argv]
    command += ["--custom-compile-command", "python scripts/lock_action.py"]
    return subprocess.run(command, input="\n".join(requirements()), text=True, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
