"""Tests of reading captures: which exchanges each input gives, and what is skipped for which reason."""

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
from payloads import COMPLETION, ERROR, REQUEST, URL, as_events, json_lines
from reading import all_exchanges, exchange_in, exchanges_in, read_all, values_of

from isogloss.validator import captures
from isogloss.validator.captures import capture
from isogloss.validator.exchange import Body, Exchange, NotJson, Payload, Skipped, Stream

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"
LEGACY_COMPLETION: dict[str, Any] = {"object": "text_completion", "choices": [{"text": "Ho"}]}


def chunk(content: str = "Ho", finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}
    return COMPLETION | {"object": "chat.completion.chunk", "choices": [choice]}


CHUNKS = [chunk("Ho"), chunk("Ho"), chunk("", "stop")]


def describe(part: Exchange | Skipped) -> str:
    """Describe an exchange by the kinds of its payloads, ``stream(n)`` or ``body``, or give the reason for skipping."""
    if isinstance(part, Skipped):
        return f"skipped: {part.reason}"
    kinds = []
    if part.request is not None:
        assert part.request.kind == "request"
        kinds.append("request")
    body = part.response
    if isinstance(body, Payload):
        kinds.append(body.kind)
    elif isinstance(body, Stream):
        kinds.append(f"stream({len(body.values)})")
    elif isinstance(body, Body):
        kinds.append("body")
    return "+".join(kinds)


def describe_all(data: Any, **options: Any) -> list[str]:
    return [describe(part) for part in read_all(data, **options)]


# One JSON document


def test_arrays_are_read_three_deep_and_no_deeper() -> None:
    assert len(all_exchanges([[[COMPLETION]]])) == 1
    [skipped] = read_all(json.dumps([[[[COMPLETION]]]]).encode())
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "not a capture: arrays in arrays in arrays"


def test_an_exchange_is_counted_behind_all_parts_that_were_skipped_before_it() -> None:
    words = ["no payload"] * (captures.MOST_SKIPPED + 5)
    found = read_all(json.dumps([words, COMPLETION]).encode())
    assert [one.number for one in found if isinstance(one, Exchange)] == [len(words)]


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
        ({"request": REQUEST, "sse": as_events(*CHUNKS, "[DONE]")}, ["request+stream(4)"]),
        ({"request": REQUEST, "response_text": "<html>", "status": 502}, ["request+body"]),
        ({"request": REQUEST, "response_text": json.dumps(COMPLETION)}, ["request+completion"]),
        ({"request": REQUEST, "response": None}, ["request"]),
        ({"request": None, "response": COMPLETION}, ["completion"]),
        ([{"request": REQUEST, "response": COMPLETION}, {"response": ERROR}], ["request+completion", "error"]),
    ],
)
def test_a_json_document_is_read_by_its_content(document: object, expected: list[str]) -> None:
    assert describe_all(document) == expected
    assert describe_all(json.dumps(document, indent=2)) == expected
    assert describe_all(b"\xef\xbb\xbf" + json.dumps(document).encode()) == expected
    assert describe_all("\n\n  " + json.dumps(document) + "\n\n") == expected


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
def test_content_decides_the_kind_if_the_object_property_contradicts_it(change: dict[str, Any], kind: str) -> None:
    assert describe_all(COMPLETION | change) == [kind]


def test_a_record_with_an_error_of_its_own_is_a_record() -> None:
    assert describe_all(ERROR | {"request": REQUEST}) == ["request"]
    assert describe_all(ERROR | {"request": REQUEST, "response": COMPLETION}) == ["request+completion"]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"a": 1}, "not a Chat Completions payload"),
        ([1, 2], "not a Chat Completions payload"),
        (LEGACY_COMPLETION, "not Chat Completions: Completions API (legacy)"),
        ({"object": "response", "error": {"message": "No"}}, "not Chat Completions: Responses API"),
        ({"type": "message", "content": []}, "not Chat Completions: Anthropic Messages API"),
        ({"model": "m", "input": "Hi"}, "not Chat Completions: Responses or Embeddings API"),
        ({"candidates": [{"content": {}}]}, "not Chat Completions: Gemini API"),
        (
            {"modelId": "m", "chatResponse": {"apiFormat": "GENERIC", "choices": []}},
            "not Chat Completions: OCI Generative AI",
        ),
        ({"modelId": "m", "stopReason": "end_turn"}, "not Chat Completions: Bedrock Converse"),
        ({"type": "message", "jsonrpc": "2.0"}, "not Chat Completions: JSON-RPC message"),
        ({"jsonrpc": "2.0", "type": "message"}, "not Chat Completions: JSON-RPC message"),
        ({"request": {"model": "m", "input": "Hi"}, "response": {}, "path": "/v1/embeddings"}, "/v1/embeddings"),
        ({"request": None, "response": None}, "neither a request body nor a response body"),
    ],
)
def test_other_traffic_is_skipped_with_its_reason(document: object, reason: str) -> None:
    parts = read_all(document)
    assert parts
    assert all(isinstance(part, Skipped) and reason in part.reason for part in parts)


def test_skipped_parts_are_numbered_like_exchanges() -> None:
    parts = read_all([COMPLETION, LEGACY_COMPLETION, ERROR])
    assert [part.number for part in parts] == [0, 1, 2]
    assert [isinstance(part, Skipped) for part in parts] == [False, True, False]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\0\1\2", "not text"),
        (b"null", "null as JSON, and no payload"),
        (b" true ", "a boolean as JSON, and no payload"),
        (b"-1.5", "a number as JSON, and no payload"),
        (b'"text"', "a string as JSON, and no payload"),
        (b"{'id': 'a', 'object': 'chat.completion'}", "holds answers as Python prints its objects"),
        *[
            (text.encode(f"utf-{encoding}"), "text in UTF-32, or in UTF-16 without a byte order mark")
            for encoding in ("16-le", "16-be", "32", "32-le", "32-be")
            for text in ('{"a": 1}', "data: {}\n\n", "[\n1]")
        ],
        ("\ufeff[1]".encode("utf-32-be"), "not text"),
        ('\ufeff{"a": 1}'.encode("utf-32-be"), "text in UTF-32, or in UTF-16 without a byte order mark"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a pointer of Git LFS in place"),
        (b"Hello", "not a capture: no input format recognises it"),
        (b"<html></html>", "not a capture: no input format recognises it"),
        (b"{", "not JSON: line 1"),
        (b"{\n 'a': 1}", "not JSON: line 2, column 2"),
    ],
)
def test_a_file_that_is_no_capture_is_skipped_with_its_reason(data: bytes, reason: str) -> None:
    [skipped] = read_all(data)
    assert isinstance(skipped, Skipped)
    assert skipped.file == "capture"
    assert skipped.reason.startswith(reason)


@pytest.mark.parametrize("name", ["log.csv", "log.tsv", "log.txt"])
def test_the_objects_of_python_in_a_table_or_a_log_are_named_as_such(name: str) -> None:
    [skipped] = read_all('id,answer\n1,"' + str({"object": "chat.completion", "choices": "none"}) + '"\n', name)
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("holds answers as Python prints its objects")


def test_a_payload_with_a_fault_is_recovered_and_marked_unsound() -> None:
    exchange = exchange_in(json.dumps(COMPLETION)[:-1] + ",}")
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == COMPLETION
    assert not exchange.response.sound


ELIDED = json.dumps({**COMPLETION, "choices": ["?"]})


@pytest.mark.parametrize(
    "choices", ["...", "{...}", "…", "1758...", "-1…", '{"index": 0, "message": ...}', '{"index": 0}, ... more']
)
@pytest.mark.parametrize(
    "text", ["@", '{"request": {"model": "m", "messages": []}, "response": @}', '[{"url": "' + URL + '", "body": @}]']
)
def test_a_payload_of_which_a_part_is_left_out_is_skipped(text: str, choices: str) -> None:
    (skipped,) = read_all(text.replace("@", ELIDED.replace('"?"', choices)))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "line 1: a part of it is left out, with dots in its place"


@pytest.mark.parametrize("comment", ["// ... more", "//…", "/* ... */", "# .. and so on"])
@pytest.mark.parametrize("page", ["```json\n@\n```\n", "# A page\n\n```\n@\n```\n", "Some words:\n\n@\n"])
def test_a_comment_that_begins_with_dots_stands_in_place_of_what_is_left_out(page: str, comment: str) -> None:
    lines = json.dumps(COMPLETION, indent=2).replace('"choices": [', f'"choices": [\n    {comment}')
    assert all_exchanges(page.replace("@", lines), "page.md") == []
    (found,) = all_exchanges(page.replace("@", lines.replace("..", "-").replace("…", "-")), "page.md")
    assert values_of(found)[1] == COMPLETION


def test_payloads_beside_what_is_left_out_are_read() -> None:
    assert describe_all(f"[{json.dumps(COMPLETION)}, ..., {ELIDED}]")[0] == "completion"
    assert describe_all(ELIDED.replace('"?"', "..."), kind="completion") == ["completion"]


# Kinds and formats that the user gives


@pytest.mark.parametrize("kind", ["request", "completion", "chunk", "error"])
def test_a_given_kind_overrides_the_content(kind: Any) -> None:
    for value in (REQUEST, COMPLETION, {"a": 1}, {"request": REQUEST}):
        assert describe_all(value, kind=kind) == [kind]


def test_an_array_of_the_given_kind_chunk_is_a_stream() -> None:
    assert describe_all([{}, {}], kind="chunk") == ["stream(2)"]
    assert describe_all(CHUNKS, kind="completion") == ["completion"] * 3


def test_a_given_format_overrides_recognition() -> None:
    assert describe_all(json_lines(COMPLETION), input_format="json") == ["completion"]
    assert describe_all(json_lines(COMPLETION), input_format="jsonl") == ["completion"]
    assert describe_all("Hello", input_format="sse") == ["stream(0)"]
    with pytest.raises(captures.UnknownFormat):
        read_all("Hello", input_format="tar")


def test_indented_chunks_one_after_another_are_one_stream() -> None:
    chunk = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
    text = "\n".join(json.dumps(value, indent=2) for value in (chunk, chunk, ERROR, chunk))
    assert describe_all(text) == ["stream(4)"]


def test_indented_documents_one_after_another_are_all_read_with_their_places() -> None:
    documents = [COMPLETION, {"request": REQUEST, "response": ERROR}, [COMPLETION]]
    text = "\n".join(json.dumps(document, indent=2) for document in documents)
    assert describe_all(text) == ["completion", "request+error", "completion"]
    assert describe_all(text.replace("\n", "\r\n")) == ["completion", "request+error", "completion"]
    exchanges = all_exchanges(text)
    assert [exchange.number for exchange in exchanges] == [0, 1, 2]
    body = exchanges[2].response
    assert isinstance(body, Payload)
    assert body.text.place(0).line == text[: text.rindex("\n[")].count("\n") + 2
    assert describe_all(text + "}") == ["completion"]  # damaged: a payload with text behind it


def test_a_key_twice_in_one_of_several_indented_documents_is_a_fault_of_that_one() -> None:
    text = json.dumps(COMPLETION, indent=1)
    twice = text.replace("{", '{"created": 1,', 1)
    exchanges = exchanges_in(f"{text}\n{twice}\n{text}\n")
    assert [one.response.sound for one in exchanges if isinstance(one.response, Payload)] == [True, False, True]


@pytest.mark.parametrize(
    ("facts", "host", "path"),
    [
        ({"url": URL}, "api.example.com", "/v1/chat/completions"),
        ({"url": "https://ci.example.com/runs/1"}, None, None),
        ({"path": "/chat", "url": URL}, None, "/chat"),
        ({"path": "https://gateway.example.com/chat", "url": URL}, "gateway.example.com", "/chat"),
        ({"path": "https://gateway.example.com/chat", "host": "other"}, "other", "/chat"),
    ],
)
def test_host_and_path_of_a_record_are_those_of_the_request(
    facts: dict[str, str], host: str | None, path: str | None
) -> None:
    record = {"request": REQUEST, "response": COMPLETION, "status": 200}
    exchange = exchange_in(record | facts)
    assert (exchange.host, exchange.path) == (host, path)


@pytest.mark.parametrize("page", ["%s", "```json\n%s\n```\n"], ids=["a document", "a block of a page"])
def test_a_chunk_alone_is_no_stream(page: str) -> None:
    text = json.dumps(chunk())
    for written in (text, text.replace("{", '{"created": 1,', 1)):
        assert describe_all(page % written, name="page.md") == ["chunk"]


# JSON Lines


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (json_lines(COMPLETION, REQUEST, ERROR), ["completion", "request", "error"]),
        (json_lines(*CHUNKS), ["stream(3)"]),
        (json_lines(*CHUNKS, "[DONE]\n"), ["stream(4)"]),
        (json_lines(COMPLETION, *CHUNKS, REQUEST), ["completion", "stream(3)", "request"]),
        (
            json_lines({"request": REQUEST, "response": COMPLETION}, {"response": ERROR}),
            ["request+completion", "error"],
        ),
        (json_lines([COMPLETION, ERROR], CHUNKS, REQUEST), ["completion", "error", "stream(3)", "request"]),
        (json_lines(COMPLETION, "\n\n", ERROR), ["completion", "error"]),
        (json_lines(COMPLETION, ERROR).replace("\n", "\r\n"), ["completion", "error"]),
        (json_lines(COMPLETION, ERROR).rstrip("\n"), ["completion", "error"]),
        (
            json_lines(COMPLETION, LEGACY_COMPLETION),
            ["completion", "skipped: not Chat Completions: Completions API (legacy)"],
        ),
    ],
)
def test_json_lines_are_exchanges_or_streams_of_chunks(data: str, expected: list[str]) -> None:
    assert describe_all(data) == expected


def test_a_line_that_is_no_json_is_skipped_and_the_rest_is_read() -> None:
    assert describe_all(json_lines(COMPLETION, "oops\n", ERROR), input_format="jsonl")[0::2] == ["completion", "error"]
    [_, skipped, _] = read_all(json_lines(COMPLETION, "oops\n", ERROR), input_format="jsonl")
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("not JSON: line 2, column 1")


def test_line_numbers_are_right_after_blank_and_very_long_lines() -> None:
    long_record = COMPLETION | {"padding": "x" * 3_000_000}
    parts = read_all(json_lines(COMPLETION, "\n", long_record, COMPLETION))
    assert [part.text.place(0) for part in parts if isinstance(part, Exchange)] == [(1, 1), (3, 1), (4, 1)]


class _EndlessLines(io.RawIOBase):
    """A stream of JSON Lines without end. It counts the bytes that were read."""

    def __init__(self) -> None:
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = json_lines(COMPLETION).encode() * 1000
        self.bytes_read += len(data[:size])
        return data[:size] if size < len(data) else data


def test_json_lines_are_read_lazily() -> None:
    source = _EndlessLines()
    parts = captures.read(captures.Capture(source, "endless"), "jsonl")  # type: ignore[arg-type]
    first_parts = [next(parts) for _ in range(100)]
    assert [part.number for part in first_parts] == list(range(100))
    assert source.bytes_read < 4_000_000


# Event streams


def stream_values(data: Any) -> list[object]:
    exchange = exchange_in(data)
    assert isinstance(exchange.response, Stream)
    return exchange.response.values


def _framings() -> Iterator[Any]:
    stream = as_events(*CHUNKS, "[DONE]")
    yield pytest.param(stream, id="as OpenAI sends it")
    yield pytest.param(as_events(*CHUNKS, "[DONE]", end="\r\n"), id="CRLF")
    yield pytest.param(as_events(*CHUNKS, "[DONE]", end="\r"), id="CR")
    yield pytest.param("\ufeff" + stream, id="byte order mark")
    yield pytest.param("\n\n" + stream, id="blank lines first")
    yield pytest.param(": hello\n\n" + stream.replace("\n\ndata", "\n\n: still here\n\ndata"), id="comments")
    yield pytest.param(stream.replace("data: ", "data:"), id="no space")
    yield pytest.param(stream.replace("data: ", "event: x\nid: 7\nretry: 5\ndata: "), id="other fields")
    yield pytest.param(stream.replace('"choices"', '\ndata: "choices"'), id="data over several lines")
    yield pytest.param(stream[:-2], id="no blank line at the end")


@pytest.mark.parametrize("data", list(_framings()))
def test_a_stream_has_the_same_chunks_in_every_framing(data: str) -> None:
    assert stream_values(data) == [*CHUNKS, NotJson.DONE]


def test_a_cut_off_stream_keeps_its_incomplete_last_event() -> None:
    data = as_events(*CHUNKS)
    for end in range(len(as_events(*CHUNKS[:2])) + 60, len(data) - 2):
        *complete, last = stream_values(data[:end])
        assert complete == CHUNKS[:2]
        assert last is NotJson.FAULTY or isinstance(last, dict)


def test_events_without_json_are_kept_in_order() -> None:
    data = "data: \n\ndata: oops\n\n" + as_events(chunk(), "[DONE]")
    assert stream_values(data) == [NotJson.EMPTY, NotJson.FAULTY, chunk(), NotJson.DONE]


def test_a_stream_of_another_api_is_skipped() -> None:
    data = 'event: message_start\ndata: {"type": "message_start"}\n\n'
    assert describe_all(data) == ["skipped: not Chat Completions: a stream of the Anthropic Messages API"]
    assert describe_all(data, kind="chunk") == ["stream(1)"]


def test_an_error_sent_as_a_stream_is_a_stream() -> None:
    assert describe_all(as_events(ERROR)) == ["stream(1)"]


# Every format


def test_captures_of_every_format_are_recognised_and_hold_exchanges() -> None:
    assert {path.name for path in CAPTURES.iterdir()} == captures.input_formats().keys()
    for name in captures.input_formats():
        assert list((CAPTURES / name).iterdir())
        for path in (CAPTURES / name).iterdir():
            capture = captures.Capture(io.BytesIO(path.read_bytes()), path.name)
            best_format = max(
                captures.input_formats().values(), key=lambda input_format: input_format.recognise(capture)
            )
            assert name == best_format.NAME, path
            if name != "mitmproxy" or find_spec("mitmproxy"):
                parts = list(captures.read(capture))
                assert any(isinstance(part, Exchange) for part in parts), path
                assert [part.number for part in parts if part.number is not None] == list(range(len(parts))), path


def test_keys_are_masked_in_exchanges() -> None:
    key = "sk-" + "Fake" * 10
    for data in (
        COMPLETION | {"model": key},
        json_lines(COMPLETION, COMPLETION | {"model": key}),
        as_events(chunk(key)),
    ):
        exchanges = exchanges_in(data)
        assert exchanges
        for exchange in exchanges:
            assert key.encode() not in exchange.text.data
            assert key not in repr(exchange)


@settings(max_examples=2 * settings().max_examples, derandomize=True)
@given(st.binary(max_size=60), st.sampled_from(["", "{", "[", '{"choices":[', "data: {", "data: ", '{"a":1}\n{']))
def test_any_bytes_are_read_or_skipped_in_every_format(data: bytes, start: str) -> None:
    for name in (None, *captures.input_formats()):
        for part in read_all(start.encode() + data, input_format=name):
            assert isinstance(part, Exchange | Skipped)


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"a", b"\n"))).map(b"\n".join), st.booleans())
def test_lines_are_split_at_line_feeds_across_small_blocks(data: bytes, ends_with_line_feed: bool) -> None:
    data += b"\n" * ends_with_line_feed
    with pytest.MonkeyPatch.context() as patch:
        for name, size in {"_SMALL": 4, "_HEAD": 8, "_LINES": 16, "_GROUP": 2}.items():
            patch.setattr(capture, name, size)
        lines = [(line.data, line.place(0).line) for line in captures.Capture(io.BytesIO(data), "capture").lines()]
    data = data.removeprefix(b"\xef\xbb\xbf")  # the byte order mark of the program that saved the lines
    assert lines == [(line, number) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
