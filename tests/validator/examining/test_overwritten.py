"""Tests of values that a recorder overwrote: they are no faults, and what only looks like them is one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import all_exchanges, exchange_in, findings_of_exchange

_REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": []}
_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_MESSAGE = {"role": "assistant", "content": None, "tool_calls": [_CALL]}
_ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m",
    "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
_PLACEHOLDERS = [
    "[REDACTED]",
    "<redacted-request-messages>",
    "[created]",
    "[3 messages]",
    "[Array]",
    "<ID>",
    "...",
    "***",
    "${json-unit.any-number}",
    "#{json-unit.regex}[A-Z]+",
    "{{now format='unix'}}",
]


def _rules(request: dict[str, Any], answer: dict[str, Any]) -> set[tuple[str, str]]:
    record = json.dumps({"request": request, "response": answer}).encode()
    exchange = exchange_in(record, "record.json")
    return {(one.rule, one.pointer) for one in findings_of_exchange(exchange)}


@pytest.mark.parametrize("placeholder", _PLACEHOLDERS)
@pytest.mark.parametrize("name", ["id", "created", "choices", "usage"])
def test_a_placeholder_in_the_answer_is_no_fault(name: str, placeholder: str) -> None:
    rules = {rule for rule, pointer in _rules(_REQUEST, _ANSWER | {name: placeholder}) if pointer == f"/{name}"}
    assert rules.isdisjoint(("wrong-type", "wrong-format"))


@pytest.mark.parametrize(("data", "is_fault"), [("UklGRg...", False), ("UklGRg…", False), ("UklGRg..", True)])
def test_base64_that_is_shortened_with_dots_at_its_end_is_no_fault(data: str, is_fault: bool) -> None:
    audio = {"id": "audio_1", "expires_at": 1760000000, "data": data, "transcript": "Hi"}
    choice = _ANSWER["choices"][0] | {"message": _MESSAGE | {"audio": audio}}
    pointer = "/choices/0/message/audio/data"
    assert (("wrong-format", pointer) in _rules(_REQUEST, _ANSWER | {"choices": [choice]})) == is_fault


@pytest.mark.parametrize("placeholder", _PLACEHOLDERS)
def test_a_placeholder_in_the_request_is_no_fault(placeholder: str) -> None:
    for request in ({"messages": placeholder}, {"messages": [placeholder]}, {"tools": placeholder}):
        assert all(rule != "wrong-type" for rule, _ in _rules(_REQUEST | request, _ANSWER))


def test_in_an_answer_that_isogloss_received_itself_a_placeholder_is_a_fault() -> None:
    record = {"host": "h", "path": "/v1/chat/completions", "status": 200, "request": _REQUEST, "live": True}
    exchange = exchange_in(json.dumps(record | {"response": _ANSWER | {"created": "[created]"}}).encode(), "live.json")
    assert ("wrong-type", "/created") in {(one.rule, one.pointer) for one in findings_of_exchange(exchange)}


@pytest.mark.parametrize(
    "value", ["1760000000", "", "now", "[1, 2]", "{}", "<|im_end|>", "[]", ". . .", "2026-11-26", "${CREATED}"]
)
def test_a_string_that_is_no_placeholder_is_of_the_wrong_type(value: str) -> None:
    assert ("wrong-type", "/created") in _rules(_REQUEST, _ANSWER | {"created": value})


@pytest.mark.parametrize(
    ("arguments", "is_fault"), [("[REDACTED]", False), ("***", False), ("[x]", True), ("...", True)]
)
def test_arguments_are_no_fault_only_if_they_are_redacted(arguments: str, is_fault: bool) -> None:
    call = _CALL | {"function": {"name": "f", "arguments": arguments}}
    choice = _ANSWER["choices"][0] | {"message": _MESSAGE | {"tool_calls": [call]}}
    rules = {rule for rule, _ in _rules(_REQUEST, _ANSWER | {"choices": [choice]})}
    assert ("arguments-not-json" in rules) == is_fault


def test_of_a_stream_only_the_events_with_a_placeholder_are_left_out() -> None:
    def chunk(created: object, delta: dict[str, str], reason: str | None) -> dict[str, Any]:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": created,
            "model": "m",
            "choices": choices,
        }

    chunks = [chunk("[created]", {"role": "assistant", "content": "a"}, None), chunk("1", {"content": "b"}, None)]
    record = json.dumps({"request": _REQUEST | {"stream": True}, "chunks": [*chunks, chunk("[created]", {}, "stop")]})
    exchange = exchange_in(record, "record.json")
    found = [one for one in findings_of_exchange(exchange) if one.rule == "wrong-type"]
    assert [(one.source.event, one.count) for one in found] == [(1, 1)]


@pytest.mark.parametrize("type_name", ["string", "<string>", "string (optional)", "number | null"])
def test_a_name_of_a_type_in_place_of_a_value_is_no_fault(type_name: str) -> None:
    choice = _ANSWER["choices"][0] | {"finish_reason": type_name}
    rules = _rules(_REQUEST, _ANSWER | {"object": type_name, "created": type_name, "choices": [choice]})
    assert {rule for rule, _ in rules}.isdisjoint(("unknown-value", "wrong-type"))


@pytest.mark.parametrize(
    ("reason", "rule"),
    [(reason, "unknown-value") for reason in ("stringent", "string too long", "null")] + [(["string"], "wrong-type")],
)
def test_a_value_that_only_holds_the_name_of_a_type_is_a_fault(reason: object, rule: str) -> None:
    choice = _ANSWER["choices"][0] | {"finish_reason": reason}
    assert rule in {found for found, _ in _rules(_REQUEST, _ANSWER | {"choices": [choice]})}


def test_the_name_of_a_type_as_the_value_of_type_is_a_fault() -> None:
    request = _REQUEST | {"response_format": {"type": "object"}}
    assert ("unknown-value", "/response_format/type") in _rules(request, _ANSWER)


@pytest.mark.parametrize(
    ("id_", "model", "is_example"),
    [
        ("string", "string", True),
        ("<string>", "<string>", True),
        ("id", "model", True),
        ("string", "strings", False),
        ("x", "string", False),
        ("model", "model", False),
    ],
)
def test_in_an_example_that_was_made_of_a_schema_nothing_is_a_fault(id_: str, model: str, is_example: bool) -> None:
    example = _ANSWER | {"id": id_, "object": "string", "model": model, "usage": {"total_tokens": 0}}
    rules = {rule for rule, pointer in _rules(_REQUEST, example) if pointer.startswith("/usage")}
    assert ("missing-property" in rules) != is_example


@pytest.mark.parametrize(("id_", "is_example"), [("id", True), ("string", True), ("chatcmpl-1", False)])
def test_a_fingerprint_shows_an_example_as_a_model_does(id_: str, is_example: bool) -> None:
    example = _ANSWER | {"id": id_, "system_fingerprint": "system_fingerprint", "usage": {"total_tokens": 0}}
    rules = {rule for rule, pointer in _rules(_REQUEST, example) if pointer.startswith("/usage")}
    assert ("missing-property" in rules) != is_example


@pytest.mark.parametrize(
    ("shortened", "first", "count"), [((1,), 2, 2), ((2,), 1, 2), ((1, 2), 3, 1), ((3,), 1, 2), ((), 1, 3)]
)
def test_of_a_stream_that_a_copy_has_shortened_the_other_events_are_judged(
    shortened: tuple[int, ...], first: int, count: int
) -> None:
    said = [{"role": "assistant", "content": text} for text in ("", "a", "b", "c")]
    events = [
        json.dumps(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000 + (at == 3), "model": "m"}
            | {"choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}]}
        )
        for at, delta in enumerate((*said, {}))
    ]
    events = [one.replace("]}", "], ...}") if at in shortened else one for at, one in enumerate(events)]
    exchange = exchange_in("".join(f"data: {one}\n\n" for one in [*events, "[DONE]"]).encode(), "stream.sse")
    found = {one.rule: (one.source.event, one.count) for one in findings_of_exchange(exchange)}
    assert found["role-repeated"] == (first, count)
    assert ("stream-created-changed" in found) == (3 not in shortened)


_HASH = "2286d2a6ffe3a9bbb55ef024d8b86626"


@pytest.mark.parametrize(
    ("id_", "file", "is_fault"),
    [
        (f"rec-{_HASH[:12]}", f"recordings/{_HASH}.json", False),
        (f"rec-{_HASH[:12]}", "recordings/answer.json", True),
        (_HASH, f"answers/{_HASH}.json", True),  # a file that is named after the id of its answer
    ],
)
def test_an_id_and_a_time_that_a_recorder_made_from_the_name_of_its_file_are_no_fault(
    id_: str, file: str, is_fault: bool
) -> None:
    message = {"role": "assistant", "content": "Hi", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    answer = _ANSWER | {"id": id_, "created": 0, "choices": [choice]}
    texts = [json.dumps(one).encode() for one in (answer, answer | {"created": id_})]
    found, with_id_as_time = ({one.rule for one in findings_of_exchange(exchange_in(text, file))} for text in texts)
    assert found == ({"wrong-format", "created-zero"} if is_fault else set())
    assert "wrong-type" in with_id_as_time


_ASKED = json.dumps(_REQUEST)
_IN_OTHER_FILES = {
    "capture.csv": "id,request,response\n1,{},{}\n",
    "capture.sql": "INSERT INTO calls VALUES (1, '{}', '{}');\n",
    "capture.log": "2026-11-01T10:00:00Z INFO {} {}\n",
    "capture.har": json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [{
        "request": {"method": "POST", "url": "https://example.test/v1/chat/completions", "postData": {"text": "{}"}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{}"}}}]}}),
    "capture.ipynb": json.dumps({"cells": [{"cell_type": "code", "outputs": [
        {"output_type": "stream", "text": ["{}\n", "{}"]}]}], "nbformat": 4}),
}  # fmt: skip


def _spelled(text: str, name: str) -> str:
    """Write a body as the format of a file with this name has it inside of its quotation marks."""
    if name.endswith(".csv"):
        return '"' + text.replace('"', '""') + '"'
    return text if name.endswith((".sql", ".log")) else json.dumps(text, ensure_ascii=False)[1:-1]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
@pytest.mark.parametrize("name", _IN_OTHER_FILES)
def test_a_character_that_the_encoding_of_a_file_lost_is_no_fault_of_the_server(name: str, encoding: str) -> None:
    before, between, after = _IN_OTHER_FILES[name].split("{}")
    lost = "é" if encoding == "cp1252" else "\ufffd"
    choice = _ANSWER["choices"][0] | {"message": {"role": "assistant", "content": f"caf{lost}", "refusal": None}}
    answer = json.dumps(_ANSWER | {"choices": [choice | {"finish_reason": "stop"}]}, ensure_ascii=False)
    text = before + _spelled(_ASKED, name) + between + _spelled(answer, name) + after
    found = [one.rule for part in all_exchanges(text.encode(encoding), name) for one in findings_of_exchange(part)]
    assert ("replacement-character" in found) == (encoding == "utf-8")
