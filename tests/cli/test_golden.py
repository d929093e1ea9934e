"""Tests that compare whole reports with the files in ``golden``.

With ``WRITE_GOLDEN=1`` they write these files anew. Read the files before you commit them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from isogloss.cli import reporters
from isogloss.schemas import client_files

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
CASES = {
    "pair": ("fixtures/captures/json/pair.json", "--select", "schema,usage-total-mismatch"),
    "stream": ("fixtures/captures/sse/stream.sse", "--select", "schema,done-missing,finish-reason-repeated"),
    "skipped": ("fixtures/captures/jsonl", "LICENSE", "--select", "schema,stream"),
    "nothing": ("LICENSE",),
    "grouped": ("fixtures/schema/null-value", "--select", "schema"),
}
CLIENTS = ROOT / "tests/validator/impact/clients"
"""Observations of clients that are made up for tests, and that no run of real clients changes."""
WRITE = bool(os.environ.get("WRITE_GOLDEN"))


@pytest.fixture(scope="session")
def report_schema() -> jsonschema.Draft202012Validator:
    """Check the installed schema of the JSON report, and return a validator with it."""
    text = resources.files("isogloss.schemas").joinpath("report", "v1.json").read_text("utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("output_format", reporters.FORMATS)
def test_report_equals_its_golden_file(
    case: str, output_format: str, isogloss: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setattr(client_files, "CLIENTS", CLIENTS)
    path = GOLDEN / f"{case}.{output_format}"
    printed = isogloss("check", *CASES[case], "--format", output_format).stdout
    if WRITE:
        path.write_text(printed, "utf-8")
    assert printed == path.read_text("utf-8")


def test_every_golden_file_has_its_case() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == CASES.keys()
    assert {path.suffix[1:] for path in GOLDEN.iterdir()} == reporters.FORMATS.keys()


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.name)
def test_json_report_follows_its_schema_and_adds_up(path: Path, report_schema: jsonschema.Draft202012Validator) -> None:
    report = json.loads(path.read_bytes())
    report_schema.validate(report)
    summary, findings = report["summary"], report["findings"]
    for severity, count in summary["findings"].items():
        assert count == sum(finding["severity"] == severity for finding in findings)
    assert summary["skipped"] == len(report["skipped"])
    assert summary["unexplained"] == sum(not finding["explained_by"] for finding in findings)
    assert (summary["verdict"] == "deviates") == bool(summary["findings"]["error"])
    assert (summary["verdict"] == "nothing-checked") == (summary["exchanges"] == 0)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda report: report.pop("summary"), "'summary' is a required property"),
        (lambda report: report.update(report_version=2), "1 was expected"),
        (lambda report: report["findings"][0].update(severity="fatal"), "'fatal' is not one of"),
        (lambda report: report["findings"][0]["source"].update(line=0), "0 is less than the minimum"),
        (lambda report: report["findings"][0].update(pointer="choices"), "'choices' does not match"),
        (lambda report: report["findings"][0].update(message="a\x1b[31mb"), "does not match"),
    ],
)
def test_report_schema_rejects_damaged_reports(
    damage: Callable[[Any], None], message: str, report_schema: jsonschema.Draft202012Validator
) -> None:
    report = json.loads((GOLDEN / "pair.json").read_bytes())
    damage(report)
    [error] = report_schema.iter_errors(report)
    assert message in error.message
