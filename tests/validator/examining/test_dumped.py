"""Tests of nulls that a program wrote or left out, where the capture is not what was sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isogloss.validator import check

_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_OPTIONAL = {"content": None, "function_call": None, "refusal": None, "role": None, "tool_calls": None}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _chunk(finish_reason: str | None = None, /, delta: Any = None, **changed: Any) -> dict[str, Any]:
    """Return a chunk as the `openai` package dumps it."""
    choice = {"delta": _OPTIONAL | (delta or {}), "finish_reason": finish_reason, "index": 0, "logprobs": None}
    chunk = {
        "id": "chatcmpl-1", "choices": [choice], "created": 1760000000, "model": "m",
        "object": "chat.completion.chunk", "service_tier": None, "system_fingerprint": "fp_1", "usage": None,
    }  # fmt: skip
    return chunk | changed


def _completion(message: Any, **changed: Any) -> dict[str, Any]:
    choice = {"finish_reason": "tool_calls", "index": 0, "logprobs": None, "message": message}
    usage = {"completion_tokens": 1, "prompt_tokens": 1, "total_tokens": 2}
    completion = {
        "id": "chatcmpl-1", "choices": [choice], "created": 1760000000, "model": "m", "object": "chat.completion",
        "system_fingerprint": "fp_1", "usage": usage,
    }  # fmt: skip
    return completion | changed


def _found(answer: Any, *, stream: bool, as_sent: bool = False) -> list[tuple[str, str]]:
    """Return the rules and the paths of the findings in an answer that a log keeps, or that is as it was sent."""
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": tools, "stream": stream}
    names = ("request", "response") if as_sent else ("asked", "answered")
    record = dict(zip(names, (request, answer), strict=True))
    return [(one.rule, one.path) for one in check(json.dumps(record).encode()).findings]


_SENT = _completion({"role": "assistant", "content": None, "refusal": None, "tool_calls": [_CALL]})


def test_what_may_have_been_null_is_not_missing_where_a_program_left_out_all_nulls() -> None:
    answer = _without_nulls(_SENT)
    assert _found(answer, stream=False) == []
    assert ("missing-property", "choices[].message.content") in _found(answer, stream=False, as_sent=True)
    chunks = [_chunk(delta={"role": "assistant", "content": "Hi"}), _chunk("stop")]
    assert _found(_without_nulls(chunks), stream=True) == []


def test_what_is_missing_beside_a_null_was_not_sent() -> None:
    answer = _without_nulls(_SENT) | {"service_tier": None}
    assert ("missing-property", "choices[].message.content") in _found(answer, stream=False)


@pytest.mark.parametrize("name", ["id", "created", "model", "object"])
def test_what_can_never_be_null_is_missing_where_a_program_left_out_all_nulls(name: str) -> None:
    answer = _without_nulls(_SENT)
    del answer[name]
    assert _found(answer, stream=False) == [("missing-property", name)]


def test_a_finish_reason_is_missing_from_a_completion_without_nulls() -> None:
    answer = _without_nulls(_SENT)
    del answer["choices"][0]["finish_reason"]
    assert ("missing-property", "choices[].finish_reason") in _found(answer, stream=False)


@pytest.mark.parametrize("name", ["id", "created", "model", "object"])
def test_a_null_is_a_property_that_chunks_lack_where_a_library_wrote_it(name: str) -> None:
    changed = {name: None}
    chunks = [_chunk(delta={"role": "assistant", "content": "Hi"}, **changed), _chunk("stop", **changed)]
    assert ("missing-property", name) in _found(chunks, stream=True)


def test_an_index_that_a_library_wrote_as_null_is_missing_from_the_call() -> None:
    first = _CALL | {"index": 0, "function": {"name": "f", "arguments": ""}}
    rest: dict[str, Any] = {"index": None, "id": None, "type": None, "function": {"name": None, "arguments": "{}"}}
    chunks = [
        _chunk(delta={"role": "assistant", "tool_calls": [first]}),
        _chunk(delta={"tool_calls": [rest]}),
        _chunk("tool_calls"),
    ]
    path = "choices[].delta.tool_calls[].index"
    assert _found(chunks, stream=True) == [("tool-call-index-missing", path)]
    rest["index"] = 0
    assert _found(chunks, stream=True) == []


def test_what_a_log_made_of_a_stream_has_no_findings_about_what_it_kept_of_the_chunks() -> None:
    """Check a span of OpenInference: it keeps the object and the indexes of calls, and there is no usage."""
    made = _completion({"tool_calls": [_CALL | {"index": 0}], "role": "assistant"}, object="chat.completion.chunk")
    del made["usage"]
    made = _without_nulls(made)
    assert _found(made, stream=True) == []
    assert ("unknown-property", "choices[].message.tool_calls[].index") in _found(
        made | {"object": "chat.completion"}, stream=False
    )
