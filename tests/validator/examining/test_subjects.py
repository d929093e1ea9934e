"""Test the subjects of rules: a rule can find something only in an exchange with its subjects. Rates count these."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.validator import captures, engines, rules
from isogloss.validator.captures import Capture
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.examining.subjects import could_occur, needed_subjects, subjects
from isogloss.validator.exchange import Exchange

FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return Examiner(engines.load())


@pytest.mark.parametrize("group", rules.GROUPS)
def test_exchange_with_a_finding_has_the_subjects_of_its_rule(group: str, examiner: Examiner) -> None:
    for path in sorted((FIXTURES / group).glob("*/invalid-*")):
        with path.open("rb") as stream:
            for exchange in captures.read(Capture(stream, str(path))):
                if isinstance(exchange, Exchange):
                    examined = examiner.examine(exchange)
                    found_subjects = subjects(examined.features, examined.expected)
                    assert [
                        rule_hit.rule for rule_hit in examined.hits if not could_occur(rule_hit.rule, found_subjects)
                    ] == [], path


def test_every_rule_has_a_subject_except_those_of_the_group_dialect() -> None:
    assert [rule for rule in rules.names() if not needed_subjects(rule) and rules.group_of(rule) != "dialect"] == []


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        ("arguments-off-schema", {"request", "response", "calls"}),
        ("usage-absent", {"completion"}),
        ("tool-call-unanswered", {"own request", "tool calls in messages"}),
        ("sse-comment", {"response", "stream", "as sent"}),
    ],
)
def test_sign_of_a_fault_is_no_subject_of_its_rule(rule: str, needs: set[str]) -> None:
    assert needed_subjects(rule) == needs
