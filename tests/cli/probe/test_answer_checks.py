"""Test what the cases of a probe expect of an answer, without a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from isogloss.cli.probe import answer_checks as expected
from isogloss.cli.probe.answer_checks import Completion

CALL = {"id": "call_a", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}


def _answer(*messages: dict[str, Any], **properties: Any) -> Completion:
    """Return a completion with a choice for each message, all with these properties."""
    return {"choices": [{"index": number, "message": one, **properties} for number, one in enumerate(messages)]}


def _mixed(name: str, value: object) -> Completion:
    """Return a completion with two choices. Only the second one has the property."""
    first, second = _answer({"content": "Ho"}, {"content": "Ho"})["choices"]
    return {"choices": [first, second | {name: value}]}


@pytest.mark.parametrize(
    ("check", "met", "missed"),
    [
        (expected.expect_two_choices, [_answer({}, {})], [_answer({}), {"choices": None}]),
        (expected.expect_logprobs, [_answer({}, logprobs={"content": []}), _mixed("logprobs", {"content": []})],
         [_answer({}, logprobs=None), _answer({})]),
        (expected.expect_limit, [_answer({}, finish_reason="length"), _mixed("finish_reason", "length")],
         [_answer({}, finish_reason="stop")]),
        (expected.expect_whole_answer, [_answer({}, finish_reason="stop")], [_mixed("finish_reason", "length")]),
        (expected.expect_tool_call, [_answer({}, {"tool_calls": [CALL]})], [_answer({"tool_calls": []}), _answer({})]),
        (expected.expect_two_tool_calls, [_answer({"tool_calls": [CALL, CALL]})], [_answer({"tool_calls": [CALL]})]),
        (expected.expect_stop, [_answer({"content": "One, two"}), _answer({"content": "rhythm"})],
         [_answer({"content": "One. "}), _answer({"content": "bcdfghj"}), _answer({"content": None})]),
        (expected.expect_several_bytes, [_answer({"content": "a"}, {"content": "\U0001f600"})],
         [_answer({"content": "é"})]),
    ],
)  # fmt: skip
def test_an_answer_has_what_its_case_is_about(
    check: Callable[[Completion], str | None], met: list[Completion], missed: list[Completion]
) -> None:
    assert [check(one) for one in met] == [None] * len(met)
    assert all(check(one) for one in missed)


@pytest.mark.parametrize(
    ("system", "text", "is_met"), [("fp_a", "Hi", False), ("fp_b", "Hi", True), ("fp_a", "Ho", True)]
)
def test_two_answers_of_the_same_system_have_the_same_text(system: str, text: str, is_met: bool) -> None:
    earlier = {**_answer({"content": "Ho"}), "system_fingerprint": "fp_a"}
    later = {**_answer({"content": text}), "system_fingerprint": system}
    assert (expected.expect_same_text(earlier, later) is None) is is_met
