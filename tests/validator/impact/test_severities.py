"""Severity is held to what clients do: where the two disagree, ``severities.toml`` says why the severity stays.

A rule is an error here if the finding that its case was made from is one: of some rules, findings differ in severity.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from isogloss.validator import captures, engines, rules
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.impact.evidence import ClientCase, ClientEvidence, evidence
from isogloss.validator.judging.judge import Judge

ROOT = Path(__file__).parents[3]
REASONS: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "severities.toml").read_text("utf-8"))
SHORTEST = 40
"""Characters of a reason: less says nothing."""


@cache
def _known() -> ClientEvidence:
    return evidence()


@cache
def _judge() -> Judge:
    return Judge(engines.load())


def _severity(case: ClientCase) -> Severity:
    """Return the severity of the finding that a case was made from.

    If the harness made the case, or the finding is not in the file of the case, return the severity of its rule.
    """
    assert case.where is not None
    path = ROOT / case.file
    if case.file != "generated":
        with path.open("rb") as stream:
            read = [one for one in captures.read(captures.Capture(stream, path.name)) if isinstance(one, Exchange)]
        for exchange in read:
            for one in _judge().judge(exchange).findings:
                if (one.rule, one.path) == (case.where.rule, case.where.path):
                    return one.severity
    return rules.rule(case.where.rule).severity


@cache
def _broken() -> dict[Severity, dict[str, bool]]:
    """Return for each severity the rules with cases that clients were run with, and whether a client broke on any."""
    found: dict[Severity, dict[str, bool]] = {severity: {} for severity in Severity}
    for case in _known().cases.values():
        impact = _known().impact_of([case]) if case.where is not None else None
        if case.where is not None and impact is not None:
            of_severity = found[_severity(case)]
            of_severity[case.where.rule] = of_severity.get(case.where.rule, False) or bool(impact.breaks)
    return found


def _rules(severity: Severity, *, broken: bool) -> Iterator[str]:
    return (rule for rule, breaks in _broken()[severity].items() if breaks is broken)


@pytest.mark.thorough
def test_every_error_that_broke_no_client_has_a_reason_to_be_one() -> None:
    assert sorted(REASONS["errors-that-broke-no-client"]) == sorted(_rules(Severity.ERROR, broken=False))


@pytest.mark.thorough
def test_every_note_that_broke_a_client_has_a_reason_to_be_no_more() -> None:
    assert sorted(REASONS["notes-that-broke-a-client"]) == sorted(_rules(Severity.NOTE, broken=True))


@pytest.mark.parametrize(("rule", "reason"), [(rule, why) for some in REASONS.values() for rule, why in some.items()])
def test_a_reason_is_a_sentence_about_a_rule_that_exists(rule: str, reason: str) -> None:
    assert rule in rules.names()
    assert reason.endswith(".")
    assert len(reason) >= SHORTEST
