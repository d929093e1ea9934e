"""Tests of outcomes: the result of a client is the same as the oracle, or its outcome says what was lost or changed."""

from __future__ import annotations

from typing import Any

import pytest
from outcomes import agrees, judge_outcome

CALL = {"name": "get_weather", "arguments": '{"city":"Paris"}'}
ORACLE: dict[str, Any] = {
    "text": "Hello",
    "calls": [],
    "role": "assistant",
    "finish_reason": "stop",
    "usage": {"prompt_tokens": 20, "completion_tokens": 6},
    "reasoning": None,
    "refusal": None,
    "choices": None,
}
CALL_ORACLE = {**ORACLE, "text": None, "calls": [CALL], "finish_reason": "tool_calls"}


def _describe_outcome(
    changed: dict[str, Any], oracle: dict[str, Any] = ORACLE, sent: dict[str, Any] | None = None
) -> str | None:
    outcome = judge_outcome({"ok": {**oracle, **changed}}, oracle, oracle if sent is None else sent)
    return outcome and f"{outcome['outcome']}: {outcome['seen']}"


def test_a_property_that_a_client_does_not_show_is_not_compared() -> None:
    assert judge_outcome({"ok": {"text": "Hello"}}, ORACLE, {}) is None


def test_empty_text_equals_none_and_spacing_in_arguments_is_ignored() -> None:
    assert _describe_outcome({"text": ""}, {**ORACLE, "text": None}) is None
    assert _describe_outcome({"calls": [{**CALL, "arguments": '{"city": "Paris"}'}]}, CALL_ORACLE) is None


@pytest.mark.parametrize(
    ("changed", "seen"),
    [
        ({"text": None}, "silent: text: none instead of 'Hello'"),
        ({"finish_reason": "stopstop"}, "silent: finish reason: 'stopstop' instead of 'stop'"),
        ({"usage": {"prompt_tokens": 60, "completion_tokens": 6}}, "silent: usage: 60/6 instead of 20/6"),
        ({"text": "Hel", "role": None}, "silent: text, role: 'Hel' instead of 'Hello'; none instead of 'assistant'"),
        ({"calls": [CALL]}, "silent: call: 1 instead of 0 ('get_weather')"),
    ],
)
def test_a_silent_outcome_names_each_property_that_was_lost_or_changed(changed: dict[str, Any], seen: str) -> None:
    assert _describe_outcome(changed) == seen


@pytest.mark.parametrize(
    ("calls", "seen"),
    [
        ([], "silent: call: 0 instead of 1"),
        ([{**CALL, "name": "get_time"}], "silent: call: 'get_time' instead of 'get_weather'"),
        ([{**CALL, "arguments": "{}"}], "silent: arguments: '{}' instead of '{\"city\": \"Paris\"}'"),
    ],
)
def test_calls_are_compared_by_number_then_name_then_arguments(calls: list[Any], seen: str) -> None:
    assert _describe_outcome({"calls": calls}, CALL_ORACLE) == seen


def test_a_deviating_value_that_a_client_passes_on_is_no_difference_if_it_has_the_promised_type() -> None:
    assert _describe_outcome({"finish_reason": "eos"}, sent={**ORACLE, "finish_reason": "eos"}) is None
    assert _describe_outcome({"usage": None}, sent={**ORACLE, "usage": None}) is None
    parts = [{"type": "text", "text": "Hello"}]
    assert str(_describe_outcome({"text": parts}, sent={**ORACLE, "text": parts})).startswith("silent: text: [{")
    counts = {"prompt_tokens": "20", "completion_tokens": 6}
    assert (
        _describe_outcome({"usage": counts}, sent={**ORACLE, "usage": counts})
        == "silent: usage: '20'/6 instead of 20/6"
    )


def test_a_client_may_remove_markup_and_reasoning_from_a_text() -> None:
    sent = {**ORACLE, "text": "<think>Rain?</think>\n\nIt rains."}
    assert _describe_outcome({"text": "It rains."}, sent=sent) is None
    assert (
        _describe_outcome({"text": None}, sent=sent)
        == "silent: text: none instead of '<think>Rain?</think>\\n\\nIt rains.'"
    )


def test_choices_are_compared_one_by_one() -> None:
    two_choices = {**ORACLE, "choices": [ORACLE, {**ORACLE, "text": "Hi"}]}
    assert _describe_outcome({"choices": [ORACLE]}, two_choices) == "silent: choices: 1 instead of 2"
    assert "'HelloHi' instead of 'Hello'" in str(
        _describe_outcome({"text": "HelloHi", "choices": None}, two_choices, {})
    )


def test_an_exception_is_described_by_class_and_first_line_without_ports_tokens_and_addresses() -> None:
    raised = {"class": "APIError", "message": "\n<p>\nhttp://127.0.0.1:4711/replayed/v1 failed at 0x7f00aa00\nmore"}
    assert judge_outcome({"raised": raised}, ORACLE, {}) == {
        "outcome": "raises",
        "seen": "APIError: <server>/v1 failed at 0x…",
    }


def test_a_client_that_does_not_return_hangs() -> None:
    assert judge_outcome(None, ORACLE, {}) == {"outcome": "hangs", "seen": "does not return"}
    assert not agrees(None, ORACLE)


def test_an_error_must_be_raised_with_the_message_of_the_server() -> None:
    oracle = {"error": "No credit."}
    assert judge_outcome({"raised": {"class": "APIError", "message": "400: No credit."}}, oracle, {}) is None
    assert judge_outcome({"raised": {"class": "TypeError", "message": "None"}}, oracle, {}) == {
        "outcome": "raises",
        "seen": "TypeError: None without the server's message",
    }
    assert judge_outcome({"ok": {"text": None}}, oracle, {}) == {
        "outcome": "silent",
        "seen": "text: none instead of the error",
    }
