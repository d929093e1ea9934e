"""Test the subjects of rules: a rule can find something only in an exchange with its subjects. Rates count these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from msgspec.structs import replace
from reading import exchange_in

from isogloss.validator import captures, engines, rules
from isogloss.validator.captures import Capture
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.examining.subjects import needed_subjects, subjects
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
                    found_subjects = subjects(examined.contents)
                    assert [
                        rule_hit.rule
                        for rule_hit in examined.hits
                        if not needed_subjects(rule_hit.rule) <= found_subjects
                    ] == [], path


def test_every_rule_has_a_subject_except_those_of_the_group_dialect() -> None:
    assert [rule for rule in rules.names() if not needed_subjects(rule) and rules.group_of(rule) != "dialect"] == []


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        ("arguments-off-schema", {"request", "response", "calls"}),
        ("usage-absent", {"completion"}),
        ("model-not-asked-for", {"request", "response", "completion", "model"}),
        ("tool-call-unanswered", {"own request", "tool calls in messages"}),
        ("sse-comment", {"response", "stream", "as sent"}),
    ],
)
def test_sign_of_a_fault_is_no_subject_of_its_rule(rule: str, needs: set[str]) -> None:
    assert needed_subjects(rule) == needs


REQUEST = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
COMPLETION = {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}}]}


@pytest.mark.parametrize("is_dumped", [False, True])
@pytest.mark.parametrize(
    ("record", "subjects_of_record"),
    [
        ({"request": REQUEST, "response": COMPLETION}, {"payload", "response", "completion", "own request", "model"}),
        (
            {"request": REQUEST, "response": COMPLETION, "expected_status": [200]},
            {"payload", "response", "completion", "model"},
        ),
        (
            {"request": REQUEST | {"model": None}, "response": COMPLETION},
            {"payload", "response", "completion", "own request"},
        ),
        ({"request": REQUEST, "response_text": "<html>"}, {"payload", "response", "own request", "model"}),
        ({"response_text": "<html>", "status": 502}, {"response"}),
        ({"response": COMPLETION}, {"payload", "response", "completion"}),
        ({"response": {"error": {"message": "no", "type": "t", "param": None, "code": None}}}, {"payload", "response"}),
        ({"sse": "data: {}\n\n"}, {"payload", "response", "stream"}),
    ],
)
def test_subjects_of_an_exchange_are_its_parts(
    record: dict[str, Any], subjects_of_record: set[str], examiner: Examiner, *, is_dumped: bool
) -> None:
    lines = orjson.dumps({"host": "example.com", "path": "/v1/chat/completions"} | record)
    exchange = exchange_in(lines, "record.json")
    examined = examiner.examine(replace(exchange, dumped=is_dumped))
    looked_at = {"payload", "response", "completion", "stream", "own request", "model", "as sent"}
    assert subjects(examined.contents) & looked_at == subjects_of_record | (set() if is_dumped else {"as sent"})
