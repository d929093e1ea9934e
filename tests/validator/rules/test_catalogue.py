"""Test that each deviation in the catalogue, which broke real clients, is found by the rules that name it.

`fixtures/catalogue/expected.json` describes each row, and lists for each of its captures the rules that must find it.
A capture that is *legal* must have no finding above a note; a row that is *not checkable* has a reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import rules
from isogloss.validator.findings import Finding, Severity

FOLDER = Path(__file__).parents[3] / "fixtures" / "catalogue"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_bytes())
CASES = [
    (int(row), name, expected_rules)
    for row, entry in EXPECTED["rows"].items()
    for name, expected_rules in entry["found"].items()
]
Findings = Callable[[Path], list[Finding]]


def test_every_row_and_every_capture_is_listed() -> None:
    assert [int(row) for row in EXPECTED["rows"]] == list(range(1, 66))
    assert all(entry["what"] and entry["found"] for entry in EXPECTED["rows"].values())
    named = {name for entry in EXPECTED["rows"].values() for name in entry["found"]}
    assert named == {path.name for path in FOLDER.glob("row-*")}
    assert set(EXPECTED["legal"]) <= named


def test_row_is_found_by_rules_that_name_it(findings_of: Findings) -> None:
    for row, name, expected_rules in CASES:
        assert set(expected_rules) <= {finding.rule for finding in findings_of(FOLDER / name)}, name
        for rule in expected_rules:
            assert row in rules.rule(rule).catalogue, rule


def test_row_is_found_or_is_legal_or_has_a_reason_why_it_is_not_checkable() -> None:
    for row, entry in EXPECTED["rows"].items():
        if row in EXPECTED["not_checkable"]:
            assert not any(entry["found"].values()), row
            assert EXPECTED["not_checkable"][row], row
        else:
            assert all(found or name in EXPECTED["legal"] for name, found in entry["found"].items()), row


@pytest.mark.parametrize("name", [*EXPECTED["legal"], *EXPECTED["rows"]["27"]["found"]])
def test_legal_capture_has_no_finding_above_a_note(name: str, findings_of: Findings) -> None:
    assert [finding for finding in findings_of(FOLDER / name) if finding.severity > Severity.NOTE] == []


def test_rule_that_names_a_row_finds_one_of_its_captures(findings_of: Findings) -> None:
    seen = {
        row: {finding.rule for name in entry["found"] for finding in findings_of(FOLDER / name)}
        for row, entry in EXPECTED["rows"].items()
    }
    claims = [(row, name) for name in rules.names() for row in rules.rule(name).catalogue]
    assert [(row, name) for row, name in claims if name not in seen[str(row)]] == []


FAULTS = {
    "the id changes from chunk to chunk": ("stream-id-changed", "id"),
    "object is that of a completion": ("unknown-value", "object"),
    "object is empty": ("envelope-empty", "object"),
    "created is a fraction": ("wrong-type", "created", "a number"),
    "created is a string": ("wrong-type", "created", "a string"),
    "created changes": ("stream-created-changed", "created"),
    "model is null": ("null-value", "model"),
    "the role is empty": ("role-empty", "choices[].delta.role"),
    "finish_reason is empty": ("finish-reason-empty", "choices[].finish_reason"),
    "finish_reason is STOP": ("unknown-value", "choices[].finish_reason"),
    "a choice has no index": ("missing-property", "choices[].index"),
    "content comes after the finish": ("content-after-finish", "choices[].delta.content"),
    "the usage is partial": ("missing-property", "usage.total_tokens"),
    "usage stands on every chunk, beside choices": ("usage-repeated", "usage"),
}


def test_stream_with_all_faults_breaks_many_rules(findings_of: Findings) -> None:
    found = findings_of(FOLDER / "the-broken-stream.sse")
    assert len({finding.rule for finding in found if finding.severity > Severity.NOTE}) >= 11


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_the_broken_stream_is_one_finding(fault: str, findings_of: Findings) -> None:
    rule, path, *message = FAULTS[fault]
    found = [
        finding
        for finding in findings_of(FOLDER / "the-broken-stream.sse")
        if (finding.rule, finding.path) == (rule, path) and finding.message.startswith(tuple(message) or "")
    ]
    assert len(found) == 1
    assert found[0].severity > Severity.NOTE
