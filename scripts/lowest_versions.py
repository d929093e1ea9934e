"""Print the lowest versions of the dependencies that ``pyproject.toml`` allows, as constraints for pip.

    python scripts/lowest_versions.py > lowest.txt
    pip install -e '.[test]' -c lowest.txt

The tests of such an installation show whether the lower bounds are true. The extras ``compression`` and ``arrow`` are
constrained, too. The extra ``mitmproxy`` is not, since it needs Python 3.12, nor are the tools for development.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

__all__ = ["constraints", "main"]

ROOT = Path(__file__).parents[1]
EXTRAS = ("compression", "arrow")


def constraints(root: Path = ROOT) -> list[str]:
    """Return a constraint for each dependency of the package and of its extras: its lowest version, and its marker."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    texts = [*project["dependencies"], *(text for extra in EXTRAS for text in project["optional-dependencies"][extra])]
    return [_lowest(Requirement(text)) for text in texts]


def _lowest(requirement: Requirement) -> str:
    (lowest,) = (one.version for one in requirement.specifier if one.operator == ">=")
    marker = f"; {requirement.marker}" if requirement.marker else ""
    return f"{requirement.name}=={lowest}{marker}"


def main() -> None:
    """Print the constraints, one on each line."""
    print("\n".join(constraints()))


if __name__ == "__main__":
    main()
