"""Tests of reading logs of gateways and observability tools, by the table of known logs or by a user's mapping."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from payloads import COMPLETION, ERROR, REQUEST
from reading import exchanges_in, findings_of_exchange, read_all

from isogloss.validator.captures.document import Document
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.structures import logs
from isogloss.validator.captures.structures.objects.mapped import follow
from isogloss.validator.exchange import NO_HTTP, Exchange, Payload, Skipped, Stream
from isogloss.validator.text import Text

FIXTURES = Path(__file__).parents[3] / "fixtures"
CHUNK = COMPLETION | {
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "Ho"}, "finish_reason": "stop"}],
}


def read(data: Any, mapping: Mapping | None = None) -> list[Exchange | Skipped]:
    return read_all(data, "log", mapping=mapping)


def describe(part: Exchange | Skipped) -> str:
    if isinstance(part, Skipped):
        return "skipped"
    body = part.response
    answer = body.kind if isinstance(body, Payload) else type(body).__name__.lower() if body is not None else ""
    return "+".join(word for word in ("request" if part.request else "", answer) if word) + "*" * part.dumped


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("logs/litellm.jsonl", ["request+completion*", "request+completion*", "request*"]),
        ("logs/helicone.jsonl", ["request+completion", "request+stream", "request+error", "skipped"]),
        ("logs/portkey.jsonl", ["request+completion", "request+completion*"]),
        ("logs/openpipe.jsonl", ["request+completion*", "request+error"]),
        ("logs/openinference.jsonl", ["request+completion*", "request+completion*"]),
        ("logs/otlp.json", ["skipped", "request+completion*"]),
        ("logs/inspect.json", ["request+completion*"]),
        ("logs/stored.json", ["completion*", "completion*"]),
    ],
)
def test_each_log_is_read_and_dumped_payloads_are_marked(file: str, expected: list[str]) -> None:
    parts = read((FIXTURES / file).read_bytes())
    assert [describe(part) for part in parts] == expected
    assert [part.number for part in parts] == list(range(len(expected)))


def test_what_a_function_returned_is_skipped_with_the_reason_why_it_is_no_answer() -> None:
    (part,) = read({"attributes": {"input.value": '{"city": "x"}', "output.value": '{"choices": []}'}})
    assert isinstance(part, Skipped)
    assert part.reason == "its `choices` are not those of Chat Completions"


def test_an_entry_of_a_log_is_a_payload_of_the_kind_that_is_given() -> None:
    entry = {"request_body": REQUEST, "response_body": COMPLETION, "response_status": 200}
    (part,) = read_all(entry, kind="completion")
    assert isinstance(part, Exchange)
    assert isinstance(part.response, Payload)
    assert part.response.value == entry


def test_arguments_that_a_client_does_not_send_are_left_out_of_the_request() -> None:
    for file in ("logs/litellm.jsonl", "logs/otlp.json", "logs/inspect.json"):
        for part in read((FIXTURES / file).read_bytes()):
            if isinstance(part, Exchange) and part.request is not None:
                assert isinstance(part.request.value, dict)
                assert "extra_headers" not in part.request.value


def _pooled(references: Any, key: str = "messages", calls: int = 1) -> Any:
    """Return a log of Inspect AI that keeps the messages of a sample once, beside its events."""
    options = {name: value for name, value in REQUEST.items() if name != "messages"}
    call = {"request": options, "response": COMPLETION, "call_refs": references, "call_key": key}
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}, {"role": "user", "content": "?"}]
    events = [{"event": "model", "call": call}] * calls
    return {"eval": {}, "samples": [{"events": events, "events_data": {"calls": said}}]}


@pytest.mark.parametrize(
    ("references", "expected"), [([[0, 1]], ["Hi"]), ([[0, 3]], ["Hi", "Ho", "?"]), ([[0, 1], [2, 3]], ["Hi", "?"])]
)
def test_messages_that_a_sample_keeps_once_are_those_of_each_request_that_names_them(
    references: Any, expected: list[str]
) -> None:
    log = _pooled(references, calls=2)
    for entries in (log, {"epoch": 1} | log["samples"][0]):
        found = read(entries)
        assert len(found) == 2
        for part in found:
            assert isinstance(part, Exchange)
            assert part.request is not None
            assert isinstance(part.request.value, dict)
            assert [one["content"] for one in part.request.value["messages"]] == expected
            assert findings_of_exchange(part) == []


@pytest.mark.parametrize(
    ("references", "key"),
    [
        *((one, "messages") for one in ([[0, 4]], [[2, 1]], [[-1, 1]], [[True, 1]], ["01"], [0, 1], "all", [], None)),
        ([[0, 1]], "input"),
    ],
)
def test_no_request_is_made_of_messages_that_are_not_there(references: Any, key: str) -> None:
    (part,) = read(_pooled(references, key))
    assert isinstance(part, Exchange)
    assert part.request is None
    assert part.response is not None


def test_only_so_many_messages_are_put_back_in_the_requests_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_POOLED", 7)
    found = read(_pooled([[0, 3]], calls=4))
    assert [isinstance(part, Exchange) and part.request is not None for part in found] == [True, True, False, False]


def test_host_path_and_status_are_those_of_the_log() -> None:
    first, *_, limited, _embedding = read((FIXTURES / "logs/helicone.jsonl").read_bytes())
    assert isinstance(first, Exchange)
    assert (first.host, first.path) == ("llm.example.com", "/v1/chat/completions")
    assert isinstance(limited, Exchange)
    assert limited.http.status == 429


@pytest.mark.parametrize(
    "entry",
    [
        {"input": REQUEST, "output": "Ho"},
        {"input": "Hi", "output": COMPLETION},
        {"attributes": {"input.value": json.dumps(REQUEST), "output.value": "Ho"}},
        {"attributes": {"input.value": "Hi", "output.value": "Ho"}},
        {"event": "model", "call": {"request": REQUEST, "response": {"content": [], "stop_reason": "end_turn"}}},
        {"proxy_server_request": "{}", "response": "{}", "messages": "{}"},
        {"object": "list", "data": [{"object": "model", "id": "m"}]},
        {"object": "list", "data": []},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "GET /"}]}]}]},
    ],
)
def test_other_entries_of_a_log_are_skipped_with_a_reason(entry: dict[str, Any]) -> None:
    for part in read(entry):
        assert isinstance(part, Skipped)
        assert part.reason


@pytest.mark.parametrize(
    ("is_streamed", "kept", "expected"),
    [
        (True, "chat.completion.chunk", "chat.completion"),
        (False, "chat.completion.chunk", "chat.completion.chunk"),
        (True, "completion", "completion"),
    ],
)
def test_a_completion_that_a_log_made_of_chunks_may_keep_their_object(
    is_streamed: bool, kept: str, expected: str
) -> None:
    completion = COMPLETION | {"object": kept}
    request = REQUEST | {"stream": is_streamed}
    (exchange,) = read({"attributes": {"input.value": json.dumps(request), "output.value": json.dumps(completion)}})
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Payload)
    assert isinstance(exchange.response.value, dict)
    assert exchange.response.value["object"] == expected
    assert exchange.dumped


@pytest.mark.parametrize(
    ("answer", "rules"),
    [
        (ERROR, ["error-with-success-status"]),
        (json.dumps(CHUNK) + "\n" + json.dumps(CHUNK), ["lines-not-events"]),
        (COMPLETION, []),
    ],
    ids=["an error", "lines", "a completion"],
)
def test_no_log_makes_an_error_or_damaged_json_of_a_stream(answer: Any, rules: list[str]) -> None:
    line = {"request_body": REQUEST | {"stream": True}, "response_body": answer, "response_status": 200}
    (exchange,) = read(line)
    assert isinstance(exchange, Exchange)
    assert [one.rule for one in findings_of_exchange(exchange) if one.severity.label == "error"] == rules


_MADE = {"id": "c", "model": "m", "choices": [{"delta": {"content": "HoHo"}}], "streamed_data": [CHUNK, CHUNK]}


@pytest.mark.parametrize(
    "record",
    [
        {"request": REQUEST, "response": _MADE},
        {"attributes": {"request": REQUEST, "response": _MADE}},
        {"asked": REQUEST, "answered": _MADE},
        {"request": {"method": "POST", "body": REQUEST}, "response": {"status": 200, "body": _MADE}},
        _MADE,
        {"streamed_data": [CHUNK, CHUNK]},
    ],
)
def test_a_stream_is_read_that_a_log_keeps_in_what_it_made_of_it(record: Any) -> None:
    [exchange] = read_all(record)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [CHUNK, CHUNK]


def test_a_stream_may_be_kept_as_lines_of_chunks_in_a_string() -> None:
    """Check a row of TensorZero: it joins the chunks that it got."""
    kept = "\n".join(json.dumps(one) for one in [CHUNK] * 3)
    record = {"inference_id": "a", "raw_request": json.dumps(REQUEST | {"stream": True}), "raw_response": kept}
    [exchange] = read_all(record)
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [CHUNK] * 3
    assert exchange.request is not None
    [skipped] = read_all(record | {"raw_response": kept + "\nand no chunk"})
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize("wants_stream", [True, False])
def test_what_a_log_made_of_a_stream_without_its_id_and_model_is_not_the_answer(wants_stream: bool) -> None:
    """Check a log of Kong: it makes a completion of the text of a stream."""
    made = {"object": "chat.completion", "choices": COMPLETION["choices"], "response": "Ho", "usage": {}}
    payload = {"request": json.dumps(REQUEST | {"stream": wants_stream}), "response": json.dumps(made)}
    [found] = read_all({"request": {"method": "POST"}, "ai": {"proxy": {"payload": payload}}, "started_at": 1})
    assert isinstance(found, Skipped) == wants_stream
    if isinstance(found, Skipped):
        assert found.reason == "the log keeps what it made of a stream, without the id and the model of the answer"


@pytest.mark.parametrize("arguments", [{"question": "Hi"}, "Hi", ["Hi"], [{"role": "user", "content": "Hi"}], {}])
def test_the_arguments_of_a_function_that_returned_an_answer_are_not_its_request(arguments: Any) -> None:
    attributes = {"input.value": json.dumps(arguments), "output.value": json.dumps(COMPLETION)}
    (exchange,) = read([{"name": "ask", "attributes": attributes}])
    assert isinstance(exchange, Exchange)
    assert exchange.request is None
    assert exchange.response is not None


# Mappings that users give


@pytest.mark.parametrize(
    ("record", "mapping", "expected"),
    [
        ({"p": {"a": REQUEST, "b": COMPLETION}}, Mapping(request="p.a", response="p.b"), "request+completion"),
        ({"p": json.dumps({"a": REQUEST})}, Mapping(request="p.a"), "request"),
        ({"a.b": REQUEST, "c": ERROR}, Mapping(request="a.b", response="c"), "request+error"),
        ({"tags": [{"key": "q", "value": REQUEST}]}, Mapping(request="tags.q"), "request"),
        ({"tags": [{"key": "q", "value": REQUEST}, {"key": "r", "value": ERROR}]},
         Mapping(request="tags.q", response="tags.r"), "request+error"),
        ({"turns": [REQUEST, COMPLETION]}, Mapping(request="turns.0", response="turns.1"), "request+completion"),
        ({"q": REQUEST, "s": [CHUNK, CHUNK]}, Mapping(request="q", stream="s"), "request+stream"),
        ({"q": REQUEST, "s": f"data: {json.dumps(CHUNK)}\n\n"}, Mapping(request="q", stream="s"), "request+stream"),
        ({"q": REQUEST, "s": None, "r": COMPLETION}, Mapping(request="q", stream="s", response="r"),
         "request+completion"),
        ({"q": REQUEST, "r": "<html>", "c": "502"}, Mapping(request="q", response="r", status="c"), "request+body"),
        ({"q": REQUEST, "r": COMPLETION}, Mapping(request="q", response="r", as_sent=False), "request+completion*"),
    ],
)  # fmt: skip
def test_a_mapping_reads_an_unknown_log(record: Any, mapping: Mapping, expected: str) -> None:
    for data in (record, [record], (json.dumps(record) + "\n").encode() * 2):
        assert {describe(part) for part in read(data, mapping)} == {expected}


def test_records_that_a_mapping_does_not_fit_are_read_without_it() -> None:
    mapping = Mapping(request="q", response="r")
    text = "".join(
        json.dumps(record) + "\n" for record in (COMPLETION, {"request": REQUEST, "response": ERROR}, {"x": 1})
    )
    assert [describe(part) for part in read(text.encode(), mapping)] == ["completion", "request+error", "skipped"]


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("h.example", "/v1/chat/completions", ("h.example", "/v1/chat/completions")),
        ("https://h.example/v1/", "/chat/completions", ("h.example", "/v1/chat/completions")),
        (None, "https://h.example/v1/chat/completions?key=x", ("h.example", "/v1/chat/completions")),
        ("h.example", None, ("h.example", None)),
        (None, None, (None, None)),
    ],
)
def test_host_and_path_are_read_from_separate_values_or_a_url(
    host: str | None, path: str | None, expected: Any
) -> None:
    mapping = Mapping(request="q", host="h", path="p")
    (exchange,) = read({"q": REQUEST, "h": host, "p": path}, mapping)
    assert isinstance(exchange, Exchange)
    assert (exchange.host, exchange.path) == expected


def test_http_facts_are_read_where_the_mapping_says_if_there_is_a_response() -> None:
    mapping = Mapping(request="q", response="r", status="s", content_type="t")
    record = {"q": REQUEST, "s": "429", "t": "application/problem+json"}
    (answered,) = read(record | {"r": ERROR}, mapping)
    assert isinstance(answered, Exchange)
    assert (answered.http.status, answered.http.content_type) == (429, "application/problem+json")
    (unanswered,) = read(record, mapping)
    assert isinstance(unanswered, Exchange)
    assert (unanswered.response, unanswered.http) == (None, NO_HTTP)


def test_a_value_in_a_mapped_text_has_its_place() -> None:
    request = json.dumps(REQUEST | {"temperature": 9})
    line = json.dumps({"pad": "é", "p": json.dumps({"req": request})})
    (exchange,) = read(line.encode() + b"\n", Mapping(request="p.req"))
    assert isinstance(exchange, Exchange)
    assert exchange.request is not None
    offset = exchange.request.text.data.index(b"9}")
    assert exchange.request.text.place(offset).column == line.index("9}") + 1


NAMES = st.sampled_from(["a", "b", "a.b", "0", "1", "key", "value", "", "*"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.sampled_from(['{"a": {"b": 1}}', "[1]", "{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.lists(NAMES, max_size=4).map(".".join))
def test_any_path_can_be_followed_in_any_value(value: object, path: str) -> None:
    document = Document(Text(json.dumps(value).encode()))
    node = follow(document.root, path)
    mapping = Mapping(*[path] * 7)
    assert node.value is None or read({"x": value, path: value}, mapping)


_ANY_PART = VALUES | st.sampled_from([REQUEST, COMPLETION, ERROR, [CHUNK], json.dumps(REQUEST), json.dumps(COMPLETION)])


@given(_ANY_PART, _ANY_PART)
def test_a_known_log_is_read_whatever_stands_in_place_of_request_and_answer(request: Any, response: Any) -> None:
    for entry in (
        {"response_status": 200, "request_path": "/v1/x", "request_body": request, "response_body": response},
        {"proxy_server_request": request, "messages": request, "response": response},
        {"attributes": {"input.value": request, "output.value": response}},
        {"event": "model", "call": {"request": request, "response": response}},
    ):
        assert len(read(entry)) <= 2


def test_a_helicone_stream_is_read_in_place_of_its_completion() -> None:
    _, exchange, *_ = read((FIXTURES / "logs/helicone.jsonl").read_bytes())
    assert isinstance(exchange, Exchange)
    assert exchange.response is not None
    body = exchange.response
    assert isinstance(body, Stream)
    assert len(body.values) == 3


def test_what_the_store_of_completions_adds_is_not_reported() -> None:
    message = {"role": "assistant", "content": "Ho", "refusal": None, "tool_calls": None, "function_call": None}
    stored = COMPLETION | {"choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]}
    (exchange,) = read({"object": "list", "data": [stored], "has_more": False})
    assert isinstance(exchange, Exchange)
    assert findings_of_exchange(exchange) == []
    marks = {"request_id": "req_1", "input_user": None}
    (alone,) = read(stored | marks | {"temperature": 1.0, "tools": None, "cost": 1})
    assert isinstance(alone, Exchange)
    assert [finding.pointer for finding in findings_of_exchange(alone)] == ["/cost"]


@pytest.mark.parametrize(("content_type", "is_stream"), [("text/event-stream", True), ("application/json", False)])
def test_an_empty_text_is_a_body_only_if_it_is_that_of_a_stream(content_type: str, *, is_stream: bool) -> None:
    mapping = Mapping(request="in", response="out", content_type="kind")
    (found,) = exchanges_in({"in": REQUEST, "out": "", "kind": content_type}, mapping=mapping)
    assert isinstance(found.response, Stream) is is_stream
    assert is_stream or found.response is None
