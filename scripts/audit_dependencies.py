"""Check the dependencies of isogloss: their known vulnerabilities, and whether their licences are accepted.

    python scripts/audit_dependencies.py

Checks all packages that an installation with the extra ``compression`` needs, in the versions that are installed here.
Reads licences from the metadata of the packages. pip-audit looks up the vulnerabilities; without a network the script
prints that, and does not fail. Ends with 1 if a licence is not known to be permissive, or a vulnerability is known.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

PERMISSIVE = re.compile(
    r"\b(MIT|BSD|Apache|ISC|Python Software Foundation|PSF|MPL|Mozilla Public|Unlicense|0BSD)\b", re.I
)
"""Licences that are accepted. The Mozilla Public License is not permissive, but covers only its own files."""


def needed(name: str, extras: Iterable[str] = (), known: set[str] | None = None) -> set[str]:
    """Return the names of all packages that a package needs, without its own."""
    known = set() if known is None else known
    for text in metadata.requires(name) or ():
        requirement = Requirement(text)
        wanted = requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        )
        normal = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if wanted and normal not in known and normal != "isogloss":
            known.add(normal)
            needed(normal, requirement.extras, known)
    return known


def licence(name: str) -> str:
    """Return the licence in the metadata of a package; empty if there is none."""
    fields = metadata.metadata(name)
    classifiers = [text for text in fields.get_all("Classifier") or () if text.startswith("License ::")]
    first = (fields.get("License") or "").strip().partition("\n")[0]
    return " / ".join(dict.fromkeys(text for text in (fields.get("License-Expression"), first, *classifiers) if text))


def vulnerable(names: Iterable[str]) -> int:
    """Return how many known vulnerabilities these packages have; 0 if they cannot be looked up, which is printed."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text("".join(f"{name}=={metadata.version(name)}\n" for name in names))
        options = (
            "--no-deps",
            "--disable-pip",
            "--progress-spinner",
            "off",
            "--format",
            "json",
            "-r",
            str(requirements),
        )
        done = subprocess.run(
            [sys.executable, "-m", "pip_audit", *options], capture_output=True, text=True, check=False
        )
    if "No module named pip_audit" in done.stderr:
        print("vulnerabilities: not checked: pip-audit is not installed")
        return 0
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        complaints = done.stderr.strip().splitlines() or ["pip-audit printed nothing"]
        print(f"vulnerabilities: not checked: {complaints[-1]}")
        return 0
    checked = [package for package in packages if "skip_reason" not in package]
    found = [(package["name"], vulnerability["id"]) for package in checked for vulnerability in package["vulns"]]
    print(f"vulnerabilities: {len(found)} known in {len(checked)} of {len(packages)} packages; the others are unknown")
    for name, known in found:
        print(f"  {name}: {known}")
    return len(found)


def main() -> int:
    """Print the results. Returns 1 if a package has a vulnerability, or a licence that is not accepted."""
    names = sorted(needed("isogloss", ("compression",)))
    refused = 0
    for name in names:
        found = licence(name)
        permissive = bool(PERMISSIVE.search(found))
        refused += not permissive
        print(
            f"{name:<28}{metadata.version(name):<14}{found or 'says nothing'}{'' if permissive else '   <- not known'}"
        )
    return int(bool(refused or vulnerable(names)))


if __name__ == "__main__":
    sys.exit(main())
