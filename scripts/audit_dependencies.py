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


def required_packages(name: str, extras: Iterable[str] = (), found: set[str] | None = None) -> set[str]:
    """Return the names of all packages that a package needs, directly or not, without its own name."""
    found = set() if found is None else found
    for text in metadata.requires(name) or ():
        requirement = Requirement(text)
        is_wanted = requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        )
        normal_name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if is_wanted and normal_name not in found and normal_name != "isogloss":
            found.add(normal_name)
            required_packages(normal_name, requirement.extras, found)
    return found


def licence(name: str) -> str:
    """Return the licence in the metadata of a package; empty if there is none."""
    fields = metadata.metadata(name)
    classifiers = [text for text in fields.get_all("Classifier") or () if text.startswith("License ::")]
    named = [*(fields.get_all("License-Expression") or ()), *(fields.get_all("License") or ())]
    first_lines = [text.strip().partition("\n")[0] for text in named]
    return " / ".join(dict.fromkeys(filter(None, [*first_lines, *classifiers])))


def count_vulnerabilities(names: Iterable[str]) -> int:
    """Return how many known vulnerabilities these packages have; 0 if they cannot be looked up, which is printed."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text("".join(f"{name}=={metadata.version(name)}\n" for name in names))
        options = ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
        command = [sys.executable, "-m", "pip_audit", *options, "-r", str(requirements)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No module named pip_audit" in result.stderr:
        print("vulnerabilities: not checked: pip-audit is not installed")
        return 0
    try:
        packages = json.loads(result.stdout)["dependencies"]
    except ValueError:
        errors = result.stderr.strip().splitlines() or ["pip-audit printed nothing"]
        print(f"vulnerabilities: not checked: {errors[-1]}")
        return 0
    checked = [package for package in packages if "skip_reason" not in package]
    found = [(package["name"], vulnerability["id"]) for package in checked for vulnerability in package["vulns"]]
    print(f"vulnerabilities: {len(found)} known in {len(checked)} of {len(packages)} packages; the others are unknown")
    for name, vulnerability_id in found:
        print(f"  {name}: {vulnerability_id}")
    return len(found)


def main() -> int:
    """Print the results. Returns 1 if a package has a vulnerability, or a licence that is not accepted."""
    names = sorted(required_packages("isogloss", ("compression",)))
    refused = 0
    for name in names:
        licences = licence(name)
        is_accepted = bool(PERMISSIVE.search(licences))
        refused += not is_accepted
        print(f"{name:<28}{metadata.version(name):<14}{licences or 'none'}{'' if is_accepted else '   <- not known'}")
    return int(bool(refused or count_vulnerabilities(names)))


if __name__ == "__main__":
    sys.exit(main())
