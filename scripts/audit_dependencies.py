"""Hold what isogloss depends on against known vulnerabilities and against the licences that it may be shipped with.

    python scripts/audit_dependencies.py

Looks at what an installation needs, with the extra ``compression``, in the versions that are installed here. Licences
are read from their metadata. Vulnerabilities are asked for with pip-audit; without a network that is said, and fails
nothing. Ends with 1 where a licence is not known to be permissive, or a vulnerability is known.
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
"""The Mozilla Public License is not permissive, but binds nothing beyond its own files."""


def needed(name: str, extras: Iterable[str] = (), known: set[str] | None = None) -> set[str]:
    """The names of all packages that one needs, itself left out."""
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
    """What the metadata of a package says of its licence; empty if it says nothing."""
    said = metadata.metadata(name)
    classifiers = [one for one in said.get_all("Classifier") or () if one.startswith("License ::")]
    first = (said.get("License") or "").strip().partition("\n")[0]
    return " / ".join(dict.fromkeys(one for one in (said.get("License-Expression"), first, *classifiers) if one))


def vulnerable(names: Iterable[str]) -> int:
    """How many known vulnerabilities these packages have; 0 where nobody can be asked, which is printed."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "requirements.txt"
        listed.write_text("".join(f"{name}=={metadata.version(name)}\n" for name in names))
        options = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json", "-r", str(listed))
        done = subprocess.run(
            [sys.executable, "-m", "pip_audit", *options], capture_output=True, text=True, check=False
        )
    if "No module named pip_audit" in done.stderr:
        print("vulnerabilities: nobody asked: pip-audit is not installed")
        return 0
    try:
        told = json.loads(done.stdout)["dependencies"]
    except ValueError:
        print(f"vulnerabilities: nobody asked: {(done.stderr.strip().splitlines() or ['pip-audit says nothing'])[-1]}")
        return 0
    asked = [one for one in told if "skip_reason" not in one]
    found = [(one["name"], vulnerability["id"]) for one in asked for vulnerability in one["vulns"]]
    print(
        f"vulnerabilities: {len(found)} known in {len(asked)} of {len(told)} packages; of the others nothing is known"
    )
    for name, known in found:
        print(f"  {name}: {known}")
    return len(found)


def main() -> int:
    """Print what was found; 1 when something is not as it has to be."""
    names = sorted(needed("isogloss", ("compression",)))
    odd = 0
    for name in names:
        said = licence(name)
        permissive = bool(PERMISSIVE.search(said))
        odd += not permissive
        print(
            f"{name:<28}{metadata.version(name):<14}{said or 'says nothing'}{'' if permissive else '   <- not known'}"
        )
    return int(bool(odd or vulnerable(names)))


if __name__ == "__main__":
    sys.exit(main())
