"""Tests of logs in which an answer of another API follows a request that looks like one of Chat Completions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import COMPLETION, ERROR, EVENTS, REQUEST
from reading import all_exchanges, exchange_in, read_all, values_of

from isogloss.validator.exchange import Exchange, Skipped

OLLAMA = {"model": "m", "created_at": "2026-01-01T10:00:00Z", "message": {"role": "assistant", "content": "Ho"}}
ANTHROPIC = {"id": "msg_Fake1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text"}]}
COHERE = {"id": "c14c80c3-Fake", "finish_reason": "COMPLETE", "message": {"role": "assistant", "content": []}}
ANSWERS = {
    "Ollama": [OLLAMA | {"done": True}],
    "a stream of Ollama": [OLLAMA | {"done": False}, OLLAMA | {"done": False}, OLLAMA | {"done": True}],
    "Anthropic": [ANTHROPIC],
    "a stream of Anthropic": [
        {"type": "message_start", "message": ANTHROPIC},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Ho"}},
        {"type": "message_stop"},
    ],
    "Cohere": [COHERE],
}


def _lines(form: str, *values: Any) -> str:
    if form.startswith("a log"):
        indent = 2 if form == "a log over lines" else None
        texts = (json.dumps(value, indent=indent) for value in values)
        return "".join(f"2026-01-01 10:00:0{n} INFO body: {text}\n" for n, text in enumerate(texts))
    return "".join(f"{json.dumps(value)}\n" for value in values)


def _exchanges(text: str, form: str) -> list[Exchange]:
    return all_exchanges(text, "app.jsonl" if form == "lines" else "app.log")


@pytest.mark.parametrize("form", ["a log", "a log over lines", "lines"])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_request_that_another_api_answers_is_one_of_that_api(answer: list[Any], form: str) -> None:
    assert _exchanges(_lines(form, REQUEST, *answer, REQUEST, *answer), form) == []
    again = _exchanges(_lines(form, REQUEST, *answer, REQUEST, COMPLETION), form)
    assert [values_of(one) for one in again] == [(REQUEST, COMPLETION)]


def test_a_request_and_its_answer_of_another_api_are_skipped_as_one() -> None:
    found = read_all(_lines("lines", REQUEST, ANTHROPIC, REQUEST, COMPLETION), "app.jsonl")
    assert isinstance(found[0], Skipped)
    assert found[0].reason == "not Chat Completions: Anthropic Messages API"
    assert [one.number for one in found] == [0, 1]


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_a_gateway_got_from_another_api_does_not_hide_the_one_that_it_gave(answer: list[Any]) -> None:
    (exchange,) = _exchanges(_lines("lines", REQUEST, *answer, COMPLETION), "lines")
    assert values_of(exchange) == (REQUEST, COMPLETION)


def test_an_answer_of_another_api_does_not_answer_a_request_for_another_model_or_with_another_id() -> None:
    other_model = REQUEST | {"model": "gpt-4o"}
    assert values_of(*_exchanges(_lines("lines", other_model, ANTHROPIC), "lines")) == (other_model, None)
    pair = _exchanges(_lines("lines", other_model, ANTHROPIC, COMPLETION | {"model": "gpt-4o"}), "lines")
    assert [values_of(one) for one in pair] == [(other_model, COMPLETION | {"model": "gpt-4o"})]
    for other_id, expected in (("req_1a2b", []), ("req_9f3c", [(REQUEST, None)])):
        log = f"10:00:00 [req_1a2b] {json.dumps(REQUEST)}\n10:00:01 [{other_id}] {json.dumps(ANTHROPIC)}\n"
        log += f"10:00:01 [req_7777] {json.dumps(REQUEST)}\n10:00:02 [req_7777] {json.dumps(COMPLETION)}\n"
        assert [values_of(one) for one in _exchanges(log, "a log")] == [*expected, (REQUEST, COMPLETION)]


def test_a_request_to_the_path_of_chat_completions_is_one_whatever_follows() -> None:
    record = {"path": "/v1/chat/completions", "request": REQUEST}
    (exchange,) = _exchanges(_lines("lines", record, ANTHROPIC), "lines")
    assert values_of(exchange) == (REQUEST, None)


def test_an_error_does_not_say_which_api_it_is_of() -> None:
    (exchange,) = _exchanges(_lines("lines", REQUEST, ERROR), "lines")
    assert values_of(exchange) == (REQUEST, ERROR)


@pytest.mark.parametrize("request_", [{"model": "m", "prompt": "Hi"}, {"model": "m", "input": "Hi"}])
@pytest.mark.parametrize("answer", [{"response": COMPLETION}, {"sse": EVENTS}], ids=["a completion", "a stream"])
def test_an_answer_that_no_other_api_gives_is_read_with_a_request_of_another_api(
    request_: dict[str, Any], answer: dict[str, Any]
) -> None:
    assert exchange_in({"request": request_} | answer).response is not None
