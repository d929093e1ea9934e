"""Log lines of gateways and of observability tools: one reader, a table of names, and what a user adds to it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import captures
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.mapped import follow
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.exchange import Exchange, Payload, Skipped, Stream
from isogloss.validator.text import Text

GALLERY = Path(__file__).parents[3] / "fixtures"
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-Fake1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}],
}
CHUNK = COMPLETION | {
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "Ho"}, "finish_reason": "stop"}],
}
ERROR = {"error": {"message": "No", "type": "server_error", "param": None, "code": None}}


def read(data: Any, mapping: Mapping | None = None) -> list[Exchange | Skipped]:
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return list(captures.read(captures.Capture(io.BytesIO(data), "log", mapping=mapping)))


def shape(found: Exchange | Skipped) -> str:
    if isinstance(found, Skipped):
        return "skipped"
    body = found.response.body if found.response is not None else None
    answer = body.kind if isinstance(body, Payload) else type(body).__name__.lower() if body is not None else ""
    return "+".join(part for part in ("request" if found.request else "", answer) if part) + "*" * found.dumped


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
        ("logs/stored.json", ["completion", "completion"]),
    ],
)
def test_each_log_is_read_and_what_a_library_made_is_marked(file: str, expected: list[str]) -> None:
    found = read((GALLERY / file).read_bytes())
    assert [shape(one) for one in found] == expected
    assert [one.number for one in found] == list(range(len(expected)))


def test_arguments_of_a_call_that_are_not_sent_are_no_part_of_the_request() -> None:
    for file in ("logs/litellm.jsonl", "logs/otlp.json", "logs/inspect.json"):
        for one in read((GALLERY / file).read_bytes()):
            if isinstance(one, Exchange) and one.request is not None:
                assert isinstance(one.request.value, dict)
                assert "extra_headers" not in one.request.value


def test_host_path_and_status_are_those_of_the_log() -> None:
    first, *_, limited, _embedding = read((GALLERY / "logs/helicone.jsonl").read_bytes())
    assert isinstance(first, Exchange)
    assert (first.host, first.path) == ("llm.example.com", "/v1/chat/completions")
    assert isinstance(limited, Exchange)
    assert limited.response is not None
    assert limited.response.status == 429


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
def test_what_a_log_holds_beside_chat_completions_is_skipped_with_a_reason(entry: dict[str, Any]) -> None:
    for one in read(entry):
        assert isinstance(one, Skipped)
        assert one.reason


# Mappings of users


@pytest.mark.parametrize(
    ("record", "mapping", "expected"),
    [
        ({"p": {"a": REQUEST, "b": COMPLETION}}, Mapping(request="p.a", response="p.b"), "request+completion"),
        ({"p": json.dumps({"a": REQUEST})}, Mapping(request="p.a"), "request"),
        ({"a.b": REQUEST, "c": ERROR}, Mapping(request="a.b", response="c"), "request+error"),
        ({"tags": [{"key": "q", "value": REQUEST}]}, Mapping(request="tags.q"), "request"),
        ({"turns": [REQUEST, COMPLETION]}, Mapping(request="turns.0", response="turns.1"), "request+completion"),
        ({"q": REQUEST, "s": [CHUNK, CHUNK]}, Mapping(request="q", stream="s"), "request+stream"),
        ({"q": REQUEST, "s": f"data: {json.dumps(CHUNK)}\n\n"}, Mapping(request="q", stream="s"), "request+stream"),
        ({"q": REQUEST, "s": None, "r": COMPLETION}, Mapping(request="q", stream="s", response="r"),
         "request+completion"),
        ({"q": REQUEST, "r": "<html>", "c": "502"}, Mapping(request="q", response="r", status="c"), "request+body"),
        ({"q": REQUEST, "r": COMPLETION}, Mapping(request="q", response="r", as_sent=False), "request+completion*"),
    ],
)  # fmt: skip
def test_a_mapping_reads_a_log_without_code(record: Any, mapping: Mapping, expected: str) -> None:
    for data in (record, [record], (json.dumps(record) + "\n").encode() * 2):
        assert {shape(one) for one in read(data, mapping)} == {expected}


def test_a_mapping_stands_in_no_way_of_what_it_does_not_fit() -> None:
    mapping = Mapping(request="q", response="r")
    lines = "".join(json.dumps(one) + "\n" for one in (COMPLETION, {"request": REQUEST, "response": ERROR}, {"x": 1}))
    assert [shape(one) for one in read(lines.encode(), mapping)] == ["completion", "request+error", "skipped"]


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
def test_host_and_path_may_be_kept_apart_or_together(host: str | None, path: str | None, expected: Any) -> None:
    mapping = Mapping(request="q", host="h", path="p")
    (found,) = read({"q": REQUEST, "h": host, "p": path}, mapping)
    assert isinstance(found, Exchange)
    assert (found.host, found.path) == expected


def test_findings_point_into_the_text_of_a_mapped_column() -> None:
    request = json.dumps(REQUEST | {"temperature": 9})
    line = json.dumps({"pad": "é", "p": json.dumps({"req": request})})
    (found,) = read(line.encode() + b"\n", Mapping(request="p.req"))
    assert isinstance(found, Exchange)
    assert found.request is not None
    offset = found.request.text.data.index(b"9}")
    assert found.request.text.place(offset).column == line.index("9}") + 1


NAMES = st.sampled_from(["a", "b", "a.b", "0", "1", "key", "value", "", "*"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.sampled_from(['{"a": {"b": 1}}', "[1]", "{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.lists(NAMES, max_size=4).map(".".join))
def test_any_path_leads_somewhere_or_nowhere_in_any_value(value: object, path: str) -> None:
    document = Document(Text(json.dumps(value).encode()))
    found = follow(document.part(document.value), path)
    mapping = Mapping(*[path] * 7)
    assert found.value is None or read({"x": value, path: value}, mapping)


def test_a_stream_that_helicone_kept_beside_its_completion_is_what_counts() -> None:
    _, streamed, *_ = read((GALLERY / "logs/helicone.jsonl").read_bytes())
    assert isinstance(streamed, Exchange)
    assert streamed.response is not None
    body = streamed.response.body
    assert isinstance(body, Stream)
    assert len(body.values) == 3
