"""Tests of the bodies of HTTP pairs in JSON, in every form in which recorders write them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from payloads import CHUNKS, COMPLETION, ERROR, EVENTS, REQUEST, URL, base64_of, pair_of
from reading import exchange_in, findings_in, read_all, values_of

from isogloss.validator.exchange import Body, Exchange, Payload, Skipped, Stream


def _body_in(content: Any) -> Payload | Stream:
    body = exchange_in(content).response
    assert isinstance(body, Payload | Stream)
    return body


PIECES = [json.dumps(COMPLETION).encode()[at : at + 30] for at in range(0, len(json.dumps(COMPLETION)), 30)]
BODIES: dict[str, Any] = {
    "parsed": {"body": COMPLETION},
    "text": {"body": json.dumps(COMPLETION)},
    "content": {"content": json.dumps(COMPLETION)},
    "text beside an empty one in Base64": {"bodyText": json.dumps(COMPLETION), "bodyBase64": None},
    "Base64 by its name": {"body_base64": base64_of(COMPLETION)},
    "Base64 in an object": {"body": {"b64": base64_of(COMPLETION)}},
    "Base64 by an encoding inside": {"body": {"encoding": "base64", "string": base64_of(COMPLETION)}},
    "Base64 by an encoding beside": {"body": base64_of(COMPLETION), "encoding": "base64"},
    "Base64 by an encoding of the body beside": {"body": base64_of(COMPLETION), "bodyEncoding": "base64"},
    "Base64 behind a prefix": {"body": f"base64:{base64_of(COMPLETION)}"},
    "Base64 in a URL": {"body": f"data:application/octet-stream;base64,{base64_of(COMPLETION)}"},
    "Base64 of a compressed body": {
        "body": {"b64": base64.b64encode(gzip.compress(json.dumps(COMPLETION).encode())).decode()}
    },
    "lines": {"body": json.dumps(COMPLETION, indent=1).splitlines(keepends=True)},
    "pieces in Base64": {"body": [{"b64": base64.b64encode(piece).decode()} for piece in PIECES]},
    **{
        f"pieces in Base64 by an encoding beside their {name}": {
            "body": [{"encoding": "base64", name: base64.b64encode(piece).decode()} for piece in PIECES]
        }
        for name in ("data", "string", "body", "text", "content", "value")
    },
    "pieces in Base64 as strings": {"body_base64": [base64.b64encode(piece).decode() for piece in PIECES]},
    "pieces with the encoding of their characters": {
        "body": [{"encoding": "utf-8", "data": piece.decode()} for piece in PIECES]
    },
    "pieces with times": {"body": [{"data": piece.decode(), "delay_ms": 5} for piece in PIECES]},
    "a file in memory of Python": {"body": {"state": [{"base64_string": base64_of(COMPLETION)}, 0, None]}},
    "canonical": {"canonical_json": COMPLETION},
    "typed": {"body": {"type": "JSON", "json": json.dumps(COMPLETION)}},
    "requests-cache": {"_content": None, "_decoded_content": COMPLETION},
    "a type as the only name": {"body": {"Str": json.dumps(COMPLETION)}},
    "text in a session of Charles": {"body": {"text": json.dumps(COMPLETION), "charset": None, "decoded": True}},
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, parts in BODIES.items() if parts.keys() == {"body"}])
def test_the_response_of_a_record_is_read_in_every_form_of_a_body(name: str) -> None:
    exchange = exchange_in({"request": REQUEST, "response": BODIES[name]["body"], "status": 200})
    assert isinstance(exchange.response, Payload)
    assert (exchange.response.value, exchange.http.status) == (COMPLETION, 200)


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_read_in_every_form(name: str) -> None:
    body = _body_in(pair_of({"status": 200, "headers": {}} | BODIES[name]))
    assert isinstance(body, Payload)
    assert body.value == COMPLETION


@pytest.mark.parametrize("word", ["eyes", "Wynn"])
def test_a_word_whose_first_byte_would_decode_to_a_bracket_is_no_base64(word: str) -> None:
    body = exchange_in(pair_of({"status": 200, "headers": {}, "body": word})).response
    assert isinstance(body, Body)
    assert body.text.data == word.encode()


@pytest.mark.parametrize(
    "body",
    [
        CHUNKS,
        EVENTS,
        [EVENTS[:70], EVENTS[70:]],
        [json.dumps(value) for value in CHUNKS],
        [{"b64": base64.b64encode(EVENTS.encode()[at : at + 50]).decode()} for at in range(0, len(EVENTS), 50)],
        [{"data": EVENTS[at : at + 50], "delay_ms": at} for at in range(0, len(EVENTS), 50)],
    ],
    ids=["chunks", "text", "pieces", "texts of chunks", "pieces in Base64", "pieces with the time"],
)
@pytest.mark.parametrize("property_name", ["body", "chunks", "body_chunks"])
def test_a_stream_is_read_from_every_form_of_list(body: Any, property_name: str) -> None:
    stream = _body_in(pair_of({"status": 200, "headers": [], property_name: body}))
    assert isinstance(stream, Stream)
    assert [value for value in stream.values if isinstance(value, dict)] == CHUNKS


def test_chunks_that_were_parsed_are_a_stream_and_no_chunks_are_an_empty_body() -> None:
    for name in ("json", "parsedBody"):
        stream = _body_in(pair_of({"status": 200, name: CHUNKS}))
        assert isinstance(stream, Stream)
        assert stream.values == CHUNKS
    for pair in (pair_of({"status": 200, "chunks": []}), pair_of({"status": 200}) | {"chunks": []}):
        body = exchange_in(pair).response
        assert isinstance(body, Body)
        assert body.text.data == b""


@pytest.mark.parametrize("name", ["status", "code"])
@pytest.mark.parametrize(("code", "is_status"), [(200, True), (0, False), (99, False), (599, True), (600, False)])
def test_data_beside_a_code_is_the_body_only_if_the_code_is_a_status(name: str, code: int, is_status: bool) -> None:
    response = {name: code, "data": COMPLETION}
    body = _body_in(pair_of(response))
    assert isinstance(body, Payload)
    assert body.value == (COMPLETION if is_status else response)


_DESCRIBED: list[dict[str, Any]] = [
    {"status_code": 200},
    {"status": 200, "duration_ms": 5},
    {"statusCode": 200, "answer": "Ho", "tokens": 2},
    {"headers": {"x-request-id": "1"}, "size": 99},
]


@pytest.mark.parametrize("described", _DESCRIBED)
def test_what_a_recorder_says_of_a_response_is_not_its_body(described: dict[str, Any]) -> None:
    for document in (
        pair_of(described),
        {"method": "POST", "url": URL, "body": REQUEST, "response": described},
    ):
        exchange = exchange_in([document])
        assert exchange.request is not None
        assert exchange.request.value == REQUEST
        assert exchange.response is None
        assert findings_in([document]) == []


@pytest.mark.parametrize("name", ["text", "payload", "output"])
@pytest.mark.parametrize("encode", [lambda value: value, json.dumps])
def test_a_body_may_have_a_name_that_shows_nothing_beside_a_status(name: str, encode: Any) -> None:
    described = {"status": 200, name: encode(COMPLETION), "duration_ms": 5}
    for document in (pair_of(described), {"method": "POST", "url": URL, "body": REQUEST, "response": described}):
        exchange = exchange_in([document])
        assert isinstance(exchange.response, Payload)
        assert (exchange.response.value, exchange.http.status) == (COMPLETION, 200)


@pytest.mark.parametrize(
    "body", [{"status": 401, "message": "no"}, {"status": 500, "detail": "x", "traced": "1"}, {"foo": 1}]
)
def test_a_failure_and_any_other_document_are_bodies(body: dict[str, Any]) -> None:
    exchange = exchange_in([pair_of(body)])
    assert isinstance(exchange.response, Payload)
    assert exchange.response.value == body


def test_a_body_in_a_half_may_have_a_name_of_its_own() -> None:
    for response in ({"answer": COMPLETION}, {"took": 1, "answer": json.dumps(COMPLETION)}):
        assert values_of(exchange_in(pair_of(response))) == (REQUEST, COMPLETION)
    pair = {"request": {"url": URL, "asked": REQUEST}, "response": {"status": 200, "body": COMPLETION}}
    assert values_of(exchange_in(pair)) == (REQUEST, COMPLETION)


@pytest.mark.parametrize(
    ("record", "is_text"),
    [
        ({"status": 200, "request": REQUEST, "response": "Ho"}, True),
        ({"status": 200, "path": "/v1/chat/completions", "request": REQUEST, "response": "Ho"}, True),
        (pair_of("Ho"), True),
        (pair_of("Ho") | {"status": 200}, False),
        (pair_of("Ho") | {"contentType": "text/plain"}, False),
        ({"status": 502, "request": REQUEST, "response": "Bad gateway"}, False),
        ({"status": 200, "content_type": "text/plain", "request": REQUEST, "response": "Ho"}, False),
        ({"status": 200, "request": REQUEST, "response_text": "Ho"}, False),
        (pair_of({"status": 200, "body": "Ho"}), False),
        (pair_of({"body": "Ho"}), False),
        ({"request": REQUEST, "response": COMPLETION}, False),
    ],
)
def test_words_in_place_of_an_answer_are_no_body_unless_something_shows_it(record: Any, is_text: bool) -> None:
    (part,) = read_all(record)
    assert (isinstance(part, Skipped) and part.reason == "the log keeps only the text of the answer") == is_text


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ({"text": "Ho", "usage": {}}, None),
        ({"stream": True, "raw": [f"data: {json.dumps(one)}" for one in CHUNKS]}, "stream"),
        ({"text": "Ho", "latency": 1, "raw": json.dumps(COMPLETION)}, "completion"),
        ([COMPLETION], "completion"),
        ({"error": "No"}, "error"),
    ],
    ids=["words", "lines of events", "text", "a list", "an error"],
)
def test_of_what_a_program_made_of_an_answer_only_the_answer_is_read(response: Any, kind: str | None) -> None:
    """Check that the object itself, which no server sent, gives no findings."""
    (part,) = read_all({"id": "u", "request": REQUEST, "response": response, "error": None})
    body = part.response if isinstance(part, Exchange) else None
    assert (body.kind if isinstance(body, Payload) else "stream" if isinstance(body, Stream) else None) == kind
    sent = exchange_in({"id": "u", "request": REQUEST, "response": response, "status": 200})
    assert sent.request is not None


@pytest.mark.parametrize(
    "request_",
    [
        json.dumps(REQUEST),
        json.dumps(REQUEST, indent=1).splitlines(),
        base64_of(REQUEST),
        {"mode": "raw", "raw": json.dumps(REQUEST)},
        {"mimeType": "application/json", "text": json.dumps(REQUEST)},
    ],
    ids=["text", "lines", "Base64", "raw", "described"],
)
def test_the_request_of_a_record_is_read_in_every_form_of_a_body(request_: Any) -> None:
    exchange = exchange_in({"request": request_, "response": COMPLETION, "status": 200})
    assert exchange.request is not None
    assert exchange.request.value == REQUEST


@pytest.mark.parametrize(
    "request_",
    [REQUEST["messages"], {"prompt": "Hi"}, '"messages"', REQUEST],
    ids=["messages", "prompt", "string", "body"],
)
def test_what_stands_in_place_of_a_request_is_one_only_if_it_may_have_been_sent(request_: Any) -> None:
    exchange = exchange_in({"request": request_, "response": COMPLETION})
    assert (exchange.request is not None) == (request_ is REQUEST)
    assert exchange_in({"request": request_, "response": COMPLETION, "status": 200}).request is not None


@pytest.mark.parametrize("response", [COMPLETION, {"status": 200, "body": json.dumps(COMPLETION)}])
@pytest.mark.parametrize("url", [{"url": URL}, {"path": "/v1/chat/completions"}])
def test_a_request_may_stand_property_by_property_beside_a_method_and_a_url(url: Any, response: Any) -> None:
    record = {"method": "POST", **url, "latency": 0.5, **REQUEST, "tools": None, "response": response}
    found = exchange_in(record)
    assert found.request is not None
    assert found.request.value == REQUEST
    assert isinstance(found.response, Payload)
    assert found.response.value == COMPLETION
    assert findings_in(record) == []
    wrong = findings_in(record | {"messages": [{"role": "boss", "content": "Hi"}]})
    assert [(one.rule, one.pointer) for one in wrong] == [("unknown-value", "/messages/0/role")]


def test_a_method_and_a_url_beside_a_model_alone_have_no_request() -> None:
    assert exchange_in({"method": "POST", "url": URL, "model": "gpt-5", "response": COMPLETION}).request is None


@pytest.mark.parametrize("piece", [{"encoding": "base64", "string": 7}, {"b64": 7}, {"encoding": "base64"}])
def test_objects_without_a_text_are_no_pieces_of_a_body(piece: dict[str, Any]) -> None:
    body = _body_in(pair_of({"status": 500, "body": [piece]}))
    assert isinstance(body, Payload)
    assert body.value == [piece]


def test_pieces_of_text_beside_the_encoding_that_was_undone_are_no_hexadecimal_digits() -> None:
    response = {"status": 200, "headers": {"content-encoding": "gzip"}, "body": [EVENTS[:70], EVENTS[70:]]}
    body = _body_in(pair_of(response))
    assert isinstance(body, Stream)
    assert list(body.values[:2]) == CHUNKS


@pytest.mark.parametrize(("name", "write"), [("b64", base64_of), ("data", str)])
def test_a_body_in_pieces_stands_where_its_first_piece_does(name: str, write: Callable[[str], str]) -> None:
    pieces = [{name: write(text), "ms": 5} for text in ('{"id": "chatcmpl-1", "choices": ', "[]}")]
    document = json.dumps(pair_of({"status": 200, "body": pieces}))
    body = _body_in(document)
    start = document.index(json.dumps(pieces[0][name])) + 2
    assert [body.text.place(offset).column for offset in (0, 34)] == [start, start]


@pytest.mark.parametrize("body", ["4242", ["4242", "42"]])
def test_digits_that_are_no_compressed_body_are_the_body(body: Any) -> None:
    response = exchange_in(pair_of({"status": 500, "body": body})).response
    assert response is not None
    assert not isinstance(response, Stream)
    assert response.text.data == "".join(body).encode()


@pytest.mark.parametrize("answer", [COMPLETION, ERROR])
def test_an_answer_with_data_of_its_own_is_no_piece_of_a_text(answer: dict[str, Any]) -> None:
    body = _body_in(pair_of({"status": 200, "body": [answer | {"data": "Ho"}]}))
    assert isinstance(body, Payload)
    assert body.value == [answer | {"data": "Ho"}]


@pytest.mark.parametrize(
    "response",
    [
        {"status": 200, "chunks": [base64_of(EVENTS[:48]), base64_of(EVENTS[48:])]},
        {"status": 200, "chunks": [EVENTS[:40], EVENTS[40:]]},
        {"status": 200, "body": base64_of(EVENTS)},
        *(
            {"status": 200, "body": base64_of(f"{first}{EVENTS}")}
            for first in (": wait\n\n", ": WAIT\n\n", ": \n\n", "event: message\n", "id: 1\n", "retry: 5\n")
        ),
    ],
)
def test_unmarked_base64_is_recognised_by_its_decoded_content(response: dict[str, Any]) -> None:
    exchange = exchange_in({"request": {"method": "POST", "url": URL, "body": REQUEST}, "response": response})
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values[:-1] == CHUNKS


@pytest.mark.parametrize("name", ["body", "stream", "content"])
def test_a_body_may_be_a_buffer_of_node(name: str) -> None:
    """Newman writes the ``stream`` of a response so."""
    buffer = {"type": "Buffer", "data": list(json.dumps(COMPLETION).encode())}
    pair = pair_of({"code": 200, "status": "OK", name: buffer})
    body = _body_in(pair)
    assert isinstance(body, Payload)
    assert body.value == COMPLETION
    written = json.dumps(pair)
    assert body.text.place(5).column == written.index(json.dumps(buffer)) + 1
    for numbers in ([256], [-1], ["a"], [True], "a", None):
        found = exchange_in(pair_of({"code": 200, name: {"type": "Buffer", "data": numbers}}))
        assert not isinstance(found.response, Payload) or found.response.value != COMPLETION
