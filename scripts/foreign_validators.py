"""Check that other validators accept the same payloads with the exported schemas as isogloss does.

Validates every fixture under fixtures/conforming and fixtures/schema with check-jsonschema, with Sourcemeta's
``jsonschema`` command line and with ajv in strict mode. Each uses the schemas that isogloss exports. Prints one line
per validator and variant. Ends with 1 if a validator disagrees with isogloss, and with 3 if none of the validators is
installed. ajv is installed into a temporary folder by npm.

    python scripts/foreign_validators.py
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import jsonschema_rs

from isogloss import schemas

Accepted: TypeAlias = Callable[[Path, Sequence[Path]], set[Path]]
"""Returns which of the files are accepted by the schema in a file."""
ROOT = Path(__file__).parents[1]
AJV = "ajv@8"
# By default, strict mode refuses union types. Some properties are a text or a list of parts.
AJV_SCRIPT = """
import Ajv2020 from "ajv/dist/2020.js"; import fs from "node:fs";
const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const [schema, ...files] = read(process.argv[2]);
const ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true, allErrors: true });
const validate = ajv.compile(read(schema));
console.log(JSON.stringify(files.filter((file) => validate(read(file)))));
"""


def fixtures(kind: str) -> list[Path]:
    """Return the fixtures whose payload is of ``kind``."""
    conforming = (ROOT / "fixtures" / "conforming" / kind).glob("*.json")
    return sorted([*conforming, *(ROOT / "fixtures" / "schema").glob(f"*/*valid-{kind}-*.json")])


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command and capture its output as text."""
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def accepted_by_isogloss(schema: Path, files: Sequence[Path]) -> set[Path]:
    """Return the files that the engine of isogloss accepts."""
    validator = jsonschema_rs.Draft202012Validator(json.loads(schema.read_bytes()))
    return {file for file in files if validator.is_valid(json.loads(file.read_bytes()))}


def check_jsonschema(folder: Path) -> Accepted | None:
    """Return check-jsonschema as a function, or None if it is not installed."""
    if shutil.which("check-jsonschema") is None:
        return None

    def accepted(schema: Path, files: Sequence[Path]) -> set[Path]:
        result = run("check-jsonschema", "--schemafile", schema, "-o", "JSON", *files, cwd=folder)
        report = json.loads(result.stdout)
        if report["parse_errors"]:
            raise RuntimeError(result.stdout)
        return set(files) - {Path(error["filename"]) for error in report["errors"]}

    return accepted


def sourcemeta(folder: Path) -> Accepted | None:
    """Return Sourcemeta's command line as a function, or None; the command of Python's jsonschema has the same name."""
    candidates: list[tuple[str, ...]] = [("jsonschema",), (sys.executable, "-m", "sourcemeta_jsonschema")]
    commands = [
        command
        for command in candidates
        if shutil.which(command[0]) and "Sourcemeta" in "".join(run(*command, "help", cwd=folder).stdout)
    ]
    if not commands:
        return None

    def accepted(schema: Path, files: Sequence[Path]) -> set[Path]:
        result = run(*commands[0], "validate", schema, *files, "--verbose", "--continue", cwd=folder)
        verdicts = re.findall(r"^(ok|fail): (.+)$", result.stdout + "\n" + result.stderr, re.MULTILINE)
        if len(verdicts) != len(files):
            raise RuntimeError(result.stderr)
        return {Path(os.path.normpath(folder / file)) for verdict, file in verdicts if verdict == "ok"}

    return accepted


def ajv(folder: Path) -> Accepted | None:
    """Return ajv as a function, or None if node, npm or the package is not available."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return None
    if run("npm", "install", "--no-save", "--silent", "--prefix", folder, AJV, cwd=folder).returncode:
        return None
    (folder / "accepted.mjs").write_text(AJV_SCRIPT, encoding="utf-8")

    def accepted(schema: Path, files: Sequence[Path]) -> set[Path]:
        (folder / "files.json").write_text(json.dumps([str(schema), *map(str, files)]), encoding="utf-8")
        result = run("node", "accepted.mjs", "files.json", cwd=folder)
        if result.returncode:
            raise RuntimeError(result.stderr)
        return {Path(file) for file in json.loads(result.stdout)}

    return accepted


def compare(title: str, accepted: Accepted, variant: str, folder: Path) -> int:
    """Compare a validator on a variant of the schemas, and return on how many fixtures it disagrees."""
    total = passed = differing = 0
    for kind in schemas.NAMES:
        schema = folder / f"{kind}.{variant}.json"
        schema.write_text(json.dumps(schemas.bundle(kind, variant)), encoding="utf-8")
        files = fixtures(kind)
        theirs = accepted(schema, files)
        for file in sorted(theirs ^ accepted_by_isogloss(schema, files)):
            differing += 1
            verdict = "accepts" if file in theirs else "rejects"
            print(f"  {title} {verdict} {file.relative_to(ROOT)} ({variant})")
        total, passed = total + len(files), passed + len(theirs)
    print(f"{title:18}{variant:12}{total:>9}{passed:>9}{differing:>9}")
    return differing


def main() -> int:
    """Compare all validators on all fixtures and return the exit code."""
    disagreements = compared = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        validators = {"check-jsonschema": check_jsonschema, "sourcemeta": sourcemeta, "ajv": ajv}
        print(f"{'validator':18}{'variant':12}{'fixtures':>9}{'accepted':>9}{'disagree':>9}")
        for title, prepare in validators.items():
            accepted = prepare(folder)
            if accepted is None:
                print(f"{title:18}not installed")
                continue
            compared += 1
            disagreements += sum(compare(title, accepted, variant, folder) for variant in schemas.VARIANTS)
    if not compared:
        return 3
    return 1 if disagreements else 0


if __name__ == "__main__":
    raise SystemExit(main())
