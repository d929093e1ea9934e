"""Check that a tag fits the release: the version in pyproject.toml, and a heading with a date in CHANGELOG.md.

    python scripts/check_release.py v0.1.0

If it does not fit, prints the faults and ends with 1.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

__all__ = ["faults", "main"]

ROOT = Path(__file__).parents[1]


def faults(tag: str, root: Path = ROOT) -> list[str]:
    """Return what keeps the tag from being released, as sentences."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, and the version in pyproject.toml is {version}")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading [{version}] with a date")
    return found


def main(argv: list[str]) -> int:
    """Print the faults and return the exit code."""
    if len(argv) != 1:
        print("usage: python scripts/check_release.py TAG", file=sys.stderr)
        return 2
    found = faults(argv[0])
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
