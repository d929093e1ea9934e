"""Test that severities agree with what clients do, or that ``severities.toml`` has a reason why not.

A rule is an error here if the finding that its case was made from is an error: some rules have findings of several
severities.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from reading import findings_in

from isogloss.validator import rules
from isogloss.validator.findings import Severity
from isogloss.validator.impact.evidence import ClientCase, ClientEvidence, evidence

ROOT = Path(__file__).parents[3]
REASONS: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "severities.toml").read_text("utf-8"))
SHORTEST_REASON = 40
"""The fewest characters of a reason. A shorter one explains nothing."""


@cache
def _evidence() -> ClientEvidence:
    return evidence()


def _severity(case: ClientCase) -> Severity:
    """Return the severity of the finding that a case was made from.

    If the harness made the case, or the finding is not in the file of the case, return the severity of its rule.
    """
    assert case.where is not None
    for finding in findings_in(ROOT / case.file) if case.file != "generated" else ():
        if (finding.rule, finding.path) == (case.where.rule, case.where.path):
            return finding.severity
    return rules.rule(case.where.rule).severity


@cache
def _rules_with_breaks() -> dict[Severity, dict[str, bool]]:
    """Return for each severity the rules with cases that clients were run with, and whether a client broke on any."""
    breaks_by_severity: dict[Severity, dict[str, bool]] = {severity: {} for severity in Severity}
    for case in _evidence().cases.values():
        impact = _evidence().impact_of([case]) if case.where is not None else None
        if case.where is not None and impact is not None:
            breaks_by_rule = breaks_by_severity[_severity(case)]
            breaks_by_rule[case.where.rule] = breaks_by_rule.get(case.where.rule, False) or bool(impact.breaks)
    return breaks_by_severity


def _rules(severity: Severity, *, broken: bool) -> Iterator[str]:
    return (rule for rule, breaks in _rules_with_breaks()[severity].items() if breaks is broken)


@pytest.mark.thorough
def test_every_error_that_broke_no_client_has_a_reason_to_be_an_error() -> None:
    assert sorted(REASONS["errors-that-broke-no-client"]) == sorted(_rules(Severity.ERROR, broken=False))


@pytest.mark.thorough
def test_every_note_that_broke_a_client_has_a_reason_to_be_only_a_note() -> None:
    assert sorted(REASONS["notes-that-broke-a-client"]) == sorted(_rules(Severity.NOTE, broken=True))


@pytest.mark.parametrize(
    ("rule", "reason"), [(rule, why) for reasons in REASONS.values() for rule, why in reasons.items()]
)
def test_a_reason_is_a_sentence_about_a_rule_that_exists(rule: str, reason: str) -> None:
    assert rule in rules.names()
    assert reason.endswith(".")
    assert len(reason) >= SHORTEST_REASON
