"""Where a rule could find something: what rates and coverage are counted by."""

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
def test_a_rule_that_finds_something_could_find_it(group: str, examiner: Examiner) -> None:
    for path in sorted((FIXTURES / group).glob("*/invalid-*")):
        with path.open("rb") as stream:
            for exchange in captures.read(Capture(stream, str(path))):
                if isinstance(exchange, Exchange):
                    examined = examiner.examine(exchange)
                    there = subjects(examined)
                    assert [one.rule for one in examined.hits if not could_occur(one.rule, there)] == [], path


def test_every_rule_but_those_of_a_dialect_needs_something() -> None:
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
def test_a_sign_of_the_fault_is_no_subject_of_its_rule(rule: str, needs: set[str]) -> None:
    assert needed_subjects(rule) == needs
