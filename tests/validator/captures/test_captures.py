"""From bytes to exchanges: what each shape of input is read as, and what is skipped with which reason."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.validator import captures
from isogloss.validator.captures import capture
from isogloss.validator.exchange import Body, Exchange, NotJson, Payload, Skipped, Stream

GALLERY = Path(__file__).parents[3] / "fixtures" / "captures"
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-Fake1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"}],
}
ERROR: dict[str, Any] = {"error": {"message": "No", "type": "server_error", "param": None, "code": None}}
OTHER: dict[str, Any] = {"object": "text_completion", "choices": [{"text": "Ho"}]}


def chunk(content: str = "Ho", finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return COMPLETION | {"object": "chat.completion.chunk", "choices": [choice]}


CHUNKS = [chunk("Ho"), chunk("Ho"), chunk("", "stop")]


def read(data: bytes | str | Any, **options: Any) -> list[Exchange | Skipped]:
    """Return what a capture holds. Its content is ``data``, or the JSON of ``data`` if this is no bytes and no text."""
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    name = options.pop("input_format", None)
    return list(captures.read(captures.Capture(io.BytesIO(data), "capture", **options), name))


def shape(found: Exchange | Skipped) -> str:
    """Describe what was found: the kinds of the payloads, ``stream(n)``, ``body``, or the reason for skipping."""
    if isinstance(found, Skipped):
        return f"skipped: {found.reason}"
    parts = []
    if found.request is not None:
        assert found.request.kind == "request"
        parts.append("request")
    body = found.response.body if found.response is not None else None
    if isinstance(body, Payload):
        parts.append(body.kind)
    elif isinstance(body, Stream):
        parts.append(f"stream({len(body.values)})")
    elif isinstance(body, Body):
        parts.append("body")
    return "+".join(parts)


def shapes(data: Any, **options: Any) -> list[str]:
    return [shape(found) for found in read(data, **options)]


def lines(*values: object) -> str:
    return "".join(value if isinstance(value, str) else json.dumps(value) + "\n" for value in values)


def sse(*values: object, end: str = "\n") -> str:
    return "".join(f"data: {value if isinstance(value, str) else json.dumps(value)}{end}{end}" for value in values)


# One JSON document


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (REQUEST, ["request"]),
        (COMPLETION, ["completion"]),
        (chunk(), ["chunk"]),
        (ERROR, ["error"]),
        ([COMPLETION, REQUEST, ERROR], ["completion", "request", "error"]),
        (CHUNKS, ["stream(3)"]),
        ([*CHUNKS, COMPLETION], ["chunk", "chunk", "chunk", "completion"]),
        ([CHUNKS, CHUNKS], ["stream(3)", "stream(3)"]),
        ({"request": REQUEST, "response": COMPLETION}, ["request+completion"]),
        ({"request": REQUEST, "response": ERROR, "status": 400}, ["request+error"]),
        ({"request": REQUEST, "chunks": CHUNKS}, ["request+stream(3)"]),
        ({"request": REQUEST, "sse": sse(*CHUNKS, "[DONE]")}, ["request+stream(4)"]),
        ({"request": REQUEST, "response_text": "<html>", "status": 502}, ["request+body"]),
        ({"request": REQUEST, "response_text": json.dumps(COMPLETION)}, ["request+completion"]),
        ({"request": REQUEST, "response": None}, ["request"]),
        ({"request": None, "response": COMPLETION}, ["completion"]),
        ([{"request": REQUEST, "response": COMPLETION}, {"response": ERROR}], ["request+completion", "error"]),
    ],
)
def test_a_json_document_is_what_its_content_says(document: object, expected: list[str]) -> None:
    assert shapes(document) == expected
    assert shapes(json.dumps(document, indent=2)) == expected
    assert shapes(b"\xef\xbb\xbf" + json.dumps(document).encode()) == expected
    assert shapes("\n\n  " + json.dumps(document) + "\n\n") == expected


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"object": "chat.completion.chunk"}, "completion"),
        ({"object": "list"}, "completion"),
        ({"object": None}, "completion"),
        ({"choices": [{"delta": {}}]}, "chunk"),
        ({"object": None, "choices": [{"delta": {}}]}, "chunk"),
        ({"choices": []}, "completion"),
    ],
)
def test_content_decides_about_the_kind_where_the_object_member_contradicts_it(
    change: dict[str, Any], kind: str
) -> None:
    assert shapes(COMPLETION | change) == [kind]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"a": 1}, "not a Chat Completions payload"),
        ([1, 2], "not a Chat Completions payload"),
        (OTHER, "not Chat Completions: Completions API (legacy)"),
        ({"object": "response", "error": {"message": "No"}}, "not Chat Completions: Responses API"),
        ({"type": "message", "content": []}, "not Chat Completions: Anthropic Messages API"),
        ({"model": "m", "input": "Hi"}, "not Chat Completions: Responses or Embeddings API"),
        ({"candidates": []}, "not Chat Completions: Gemini API"),
        ({"request": {"model": "m", "input": "Hi"}, "response": {}, "path": "/v1/embeddings"}, "/v1/embeddings"),
        ({"request": None, "response": None}, "neither a request body nor a response body"),
    ],
)
def test_what_is_no_chat_completions_traffic_is_skipped_with_its_reason(document: object, reason: str) -> None:
    found = read(document)
    assert found
    assert all(isinstance(one, Skipped) and reason in one.reason for one in found)


def test_skipped_parts_are_numbered_among_the_exchanges() -> None:
    found = read([COMPLETION, OTHER, ERROR])
    assert [one.number for one in found] == [0, 1, 2]
    assert [isinstance(one, Skipped) for one in found] == [False, True, False]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b"\0\1\2", "not text"),
        (b"Hello", "not a capture: no input format recognises it"),
        (b"<html></html>", "not a capture: no input format recognises it"),
        (b"{", "not JSON: line 1"),
        (b"{\n 'a': 1}", "not JSON: line 2, column 2"),
    ],
)
def test_what_is_no_capture_is_skipped_with_its_reason(data: bytes, reason: str) -> None:
    [found] = read(data)
    assert isinstance(found, Skipped)
    assert found.file == "capture"
    assert found.reason.startswith(reason)


def test_a_payload_that_is_not_quite_json_is_recovered_and_marked() -> None:
    [found] = read(json.dumps(COMPLETION)[:-1] + ",}")
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert isinstance(found.response.body, Payload)
    assert found.response.body.value == COMPLETION
    assert not found.response.body.sound


# What the user says


@pytest.mark.parametrize("kind", ["request", "completion", "chunk", "error"])
def test_a_kind_that_is_given_overrides_the_content(kind: Any) -> None:
    for value in (REQUEST, COMPLETION, {"a": 1}, {"request": REQUEST}):
        assert shapes(value, kind=kind) == [kind]


def test_a_kind_that_is_given_makes_an_array_of_chunks_a_stream() -> None:
    assert shapes([{}, {}], kind="chunk") == ["stream(2)"]
    assert shapes(CHUNKS, kind="completion") == ["completion"] * 3


def test_a_format_that_is_given_overrides_recognition() -> None:
    assert shapes(lines(COMPLETION), input_format="json") == ["completion"]
    assert shapes(lines(COMPLETION), input_format="jsonl") == ["completion"]
    assert shapes("Hello", input_format="sse") == ["stream(0)"]
    with pytest.raises(captures.UnknownFormat):
        read("Hello", input_format="tar")


# JSON Lines


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (lines(COMPLETION, REQUEST, ERROR), ["completion", "request", "error"]),
        (lines(*CHUNKS), ["stream(3)"]),
        (lines(*CHUNKS, "[DONE]\n"), ["stream(4)"]),
        (lines(COMPLETION, *CHUNKS, REQUEST), ["completion", "stream(3)", "request"]),
        (lines({"request": REQUEST, "response": COMPLETION}, {"response": ERROR}), ["request+completion", "error"]),
        (lines(COMPLETION, "\n\n", ERROR), ["completion", "error"]),
        (lines(COMPLETION, ERROR).replace("\n", "\r\n"), ["completion", "error"]),
        (lines(COMPLETION, ERROR).rstrip("\n"), ["completion", "error"]),
        (lines(COMPLETION, OTHER), ["completion", "skipped: not Chat Completions: Completions API (legacy)"]),
    ],
)
def test_json_lines_are_exchanges_or_streams_of_chunks(data: str, expected: list[str]) -> None:
    assert shapes(data) == expected


def test_a_line_that_is_no_json_is_skipped_and_the_rest_is_read() -> None:
    assert shapes(lines(COMPLETION, "oops\n", ERROR), input_format="jsonl")[0::2] == ["completion", "error"]
    [_, skipped, _] = read(lines(COMPLETION, "oops\n", ERROR), input_format="jsonl")
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("not JSON: line 2, column 1")


def test_blank_lines_and_lines_longer_than_the_blocks_they_are_read_in_keep_their_numbers() -> None:
    long = COMPLETION | {"padding": "x" * 3_000_000}
    found = read(lines(COMPLETION, "\n", long, COMPLETION))
    assert [one.text.place(0) for one in found if isinstance(one, Exchange)] == [(1, 1), (3, 1), (4, 1)]


class _Endless(io.RawIOBase):
    """Line after line, as long as somebody reads."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = lines(COMPLETION).encode() * 1000
        self.given += len(data[:size])
        return data[:size] if size < len(data) else data


def test_json_lines_are_read_as_they_are_taken() -> None:
    source = _Endless()
    found = captures.read(captures.Capture(source, "endless"), "jsonl")  # type: ignore[arg-type]
    first = [next(found) for _ in range(100)]
    assert [one.number for one in first] == list(range(100))
    assert source.given < 4_000_000


# NotJson streams


def values(data: Any) -> list[object]:
    [found] = read(data)
    assert isinstance(found, Exchange)
    assert found.response is not None
    assert isinstance(found.response.body, Stream)
    return found.response.body.values


def _framings() -> Iterator[Any]:
    plain = sse(*CHUNKS, "[DONE]")
    yield pytest.param(plain, id="as OpenAI sends it")
    yield pytest.param(sse(*CHUNKS, "[DONE]", end="\r\n"), id="CRLF")
    yield pytest.param(sse(*CHUNKS, "[DONE]", end="\r"), id="CR")
    yield pytest.param("\ufeff" + plain, id="byte order mark")
    yield pytest.param("\n\n" + plain, id="blank lines first")
    yield pytest.param(": hello\n\n" + plain.replace("\n\ndata", "\n\n: still here\n\ndata"), id="comments")
    yield pytest.param(plain.replace("data: ", "data:"), id="no space")
    yield pytest.param(plain.replace("data: ", "event: x\nid: 7\nretry: 5\ndata: "), id="other fields")
    yield pytest.param(plain.replace('"choices"', '\ndata: "choices"'), id="data over several lines")
    yield pytest.param(plain[:-2], id="no blank line at the end")


@pytest.mark.parametrize("data", list(_framings()))
def test_a_stream_has_the_same_chunks_however_it_is_framed(data: str) -> None:
    assert values(data) == [*CHUNKS, NotJson.DONE]


def test_a_stream_that_is_cut_off_keeps_what_there_is_of_the_last_chunk() -> None:
    data = sse(*CHUNKS)
    for cut in range(len(sse(*CHUNKS[:2])) + 60, len(data) - 2):
        *whole, last = values(data[:cut])
        assert whole == CHUNKS[:2]
        assert last is NotJson.BROKEN or isinstance(last, dict)


def test_events_without_json_are_kept_in_their_place() -> None:
    data = "data: \n\ndata: oops\n\n" + sse(chunk(), "[DONE]")
    assert values(data) == [NotJson.EMPTY, NotJson.BROKEN, chunk(), NotJson.DONE]


def test_a_stream_of_another_api_is_skipped() -> None:
    data = 'event: message_start\ndata: {"type": "message_start"}\n\n'
    assert shapes(data) == ["skipped: not Chat Completions: a stream of the Anthropic Messages API"]
    assert shapes(data, kind="chunk") == ["stream(1)"]


def test_an_error_sent_as_a_stream_is_a_stream() -> None:
    assert shapes(sse(ERROR)) == ["stream(1)"]


# Every format


def test_every_format_has_captures_that_are_recognised_as_it_and_hold_something() -> None:
    assert {path.name for path in GALLERY.iterdir()} == captures.input_formats().keys()
    for name in captures.input_formats():
        assert list((GALLERY / name).iterdir())
        for path in (GALLERY / name).iterdir():
            capture = captures.Capture(io.BytesIO(path.read_bytes()), path.name)
            surest = max(captures.input_formats().values(), key=lambda one: one.recognise(capture))
            assert name == surest.NAME, path
            if name != "mitmproxy" or find_spec("mitmproxy"):
                assert any(isinstance(found, Exchange) for found in captures.read(capture)), path


def test_keys_are_masked_before_anything_else_sees_them_and_nothing_moves() -> None:
    key = "sk-" + "Fake" * 10
    for data in (COMPLETION | {"model": key}, lines(COMPLETION, COMPLETION | {"model": key}), sse(chunk(key))):
        for found in read(data):
            assert isinstance(found, Exchange)
            assert key.encode() not in found.text.data
            assert key not in repr(found)


@settings(max_examples=2 * settings().max_examples, derandomize=True)
@given(st.binary(max_size=60), st.sampled_from(["", "{", "[", '{"choices":[', "data: {", "data: ", '{"a":1}\n{']))
def test_any_bytes_are_exchanges_or_skipped_in_every_format(data: bytes, start: str) -> None:
    for name in (None, *captures.input_formats()):
        for found in read(start.encode() + data, input_format=name):
            assert isinstance(found, Exchange | Skipped)


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"a", b"\n"))).map(b"\n".join), st.booleans())
def test_lines_are_cut_at_line_feeds_however_they_are_read(data: bytes, end: bool) -> None:
    data += b"\n" * end
    with pytest.MonkeyPatch.context() as patch:
        for name, size in {"_SMALL": 4, "_HEAD": 8, "_LINES": 16, "_GROUP": 2}.items():
            patch.setattr(capture, name, size)
        found = [(line.data, line.place(0).line) for line in captures.Capture(io.BytesIO(data), "capture").lines()]
    assert found == [(line, number) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
