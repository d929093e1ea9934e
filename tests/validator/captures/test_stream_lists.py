"""Tests of streams in lists: in whatever form a list holds one, and wherever it stands, the same is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from payloads import COMPLETION, EVENTS, REQUEST, URL, as_events, base64_of, chunk
from reading import findings_in, read_all

from isogloss.validator.exchange import Exchange, NotJson, Stream

ASKED = REQUEST | {"stream": True}
CHUNKS = [chunk({"role": "assistant", "content": ""}), chunk({"content": "H\n\u00f6"}), chunk({}, "stop")]
TEXT = as_events(*CHUNKS, "[DONE]")
JSON_TEXTS = [*map(json.dumps, CHUNKS), "[DONE]"]
LISTS: dict[str, list[Any]] = {
    "chunks": [*CHUNKS, "[DONE]"],
    "texts of chunks": JSON_TEXTS,
    "lines of data": [f"data: {one}" for one in JSON_TEXTS],
    "lines of data without spaces": [f"data:{one}" for one in JSON_TEXTS],
    "texts of chunks with line ends": [*(f"{one}\n" for one in JSON_TEXTS[:-1]), "[DONE]"],
    "lines": TEXT.split("\n"),
    "lines behind a blank one": ["", *TEXT.split("\n")],
    "lines with other fields": [": ping", "event: message", *TEXT.split("\n")],
    "lines with their ends": TEXT.splitlines(keepends=True),
    "events": [f"data: {one}\n\n" for one in JSON_TEXTS],
}
WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "the list itself": lambda item: item,
    "objects": lambda item: {"data": item},
    "objects with a time": lambda item: {"elapsed": 0.1, "no": 1, "data": item, "note": None},
}
HTTP = {"method": "POST", "url": URL, "body": ASKED}
PLACES: dict[str, Callable[[Any], Any]] = {
    "alone": lambda found: found,
    "a record": lambda found: {"request": ASKED, "response": found},
    "the chunks of a record": lambda found: {"request": ASKED, "chunks": found},
    "beside a request": lambda found: {"in": ASKED, "out": found},
    "beside a request, one further in": lambda found: {"in": ASKED, "out": {"status": 200, "body": found}},
    "a row": lambda found: {**ASKED, "answer": found},
    "the body of a pair": lambda found: {"request": HTTP, "response": {"status": 200, "headers": {}, "body": found}},
    "the chunks of a pair": lambda found: {"request": HTTP, "response": {"status": 200}, "chunks": found},
    "the response of a pair": lambda found: {"request": HTTP, "response": found},
}


_read = partial(read_all, name="capture.json")


def _assert_is_stream(value: Any, *, has_request: bool) -> None:
    (exchange,) = _read(value)
    assert isinstance(exchange, Exchange), exchange
    assert isinstance(exchange.response, Stream), exchange.response
    assert exchange.response.values == [*CHUNKS, NotJson.DONE]
    assert (exchange.request is not None) == has_request


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("form", LISTS)
def test_a_stream_is_read_from_every_list_in_every_place(form: str, wrapper: str) -> None:
    items = [WRAPPERS[wrapper](item) for item in LISTS[form]]
    for name, place in PLACES.items():
        _assert_is_stream(place(items), has_request=name != "alone")


@given(
    st.lists(st.integers(6, len(TEXT) - 1), max_size=12, unique=True),
    st.sampled_from(list(WRAPPERS)),
    st.sampled_from(list(PLACES)),
)
def test_a_stream_is_read_from_its_pieces_wherever_they_were_cut(cuts: list[int], wrapper: str, place: str) -> None:
    pieces = [TEXT[start:end] for start, end in pairwise([0, *sorted(cuts), len(TEXT)])]
    assume(any('"choices": [{' in piece for piece in pieces))  # a document without this is not searched
    _assert_is_stream(PLACES[place]([WRAPPERS[wrapper](piece) for piece in pieces]), has_request=place != "alone")


@pytest.mark.parametrize("lines", [TEXT.split("\n"), [f"data: {text}" for text in JSON_TEXTS]], ids=["all", "data"])
def test_lines_with_the_end_twice_are_one_stream(lines: list[str]) -> None:
    (exchange,) = _read({"in": ASKED, "out": [*lines, "data: [DONE]", ""]})
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.response.values == [*CHUNKS, NotJson.DONE, NotJson.DONE]


@pytest.mark.parametrize("odd", ["oops", "null", '"Ho"', "[1]", JSON_TEXTS[0][:-20]])
def test_lines_of_data_are_a_stream_even_if_one_of_them_holds_no_chunk(odd: str) -> None:
    texts = [JSON_TEXTS[0], odd, *JSON_TEXTS[1:]]
    (exchange,) = _read({"in": ASKED, "out": [line for text in texts for line in (f"data: {text}", "")]})
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert [event for event in exchange.response.values if event in CHUNKS] == CHUNKS
    assert len(exchange.response.values) == len(texts)


FIELDS = ["", ": ping\n\n", "retry: 1000\n\n", "id: 1\n", "event: chunk\n"]


@pytest.mark.parametrize(
    "text", [*(start + TEXT for start in ("\ufeff", "\n\n", *FIELDS)), *(base64_of(start + TEXT) for start in FIELDS)]
)
def test_text_of_events_is_read_however_it_begins(text: str) -> None:
    _assert_is_stream({"in": ASKED, "out": text}, has_request=True)


def test_an_error_among_the_events_that_a_log_kept_is_found() -> None:
    kept = as_events(*CHUNKS[:2], {"error": {"message": "no", "type": "server_error", "param": None, "code": None}})
    assert [one.rule for one in findings_in({"in": ASKED, "out": kept}) if one.severity.label == "error"] == [
        "error-in-stream"
    ]


@pytest.mark.parametrize(
    "items",
    [
        [EVENTS, EVENTS],
        [{"data": EVENTS}, {"data": EVENTS}],
        [{"status": 200, "body": EVENTS}, {"status": 200, "body": EVENTS}],
        [{"in": ASKED, "out": EVENTS}, {"in": ASKED, "out": EVENTS}],
        [COMPLETION, COMPLETION],
        ["data: of no stream", "data: [DONE]"],
    ],
    ids=["streams", "streams in objects", "responses", "exchanges", "completions", "other texts"],
)
def test_several_answers_in_a_list_are_not_one_stream(items: list[Any]) -> None:
    exchanges = [part for part in _read({"in": ASKED, "out": items}) if isinstance(part, Exchange)]
    assert len(exchanges) in (0, 2)


_MANY = {f"note {number}": number for number in range(12)}


@pytest.mark.parametrize(
    "items",
    [
        [{"t": TEXT[:60]}, {"t": 5}, {"t": TEXT[60:]}],
        [{"t": TEXT[:60]}, {"note": 1}, {"t": TEXT[60:]}],
        [{"t": TEXT[:60]}, TEXT[60:]],
        [{"t": TEXT[:60], **_MANY}, {"t": TEXT[60:], **_MANY}],
        [{"t": 'data: {"a": 1}\n\n'}, {"t": "data: [DONE]\n\n"}],
        ['data: {"choices": 1}\n\n'],
        ['He wrote "choices": [] there,', "and left."],
        ['{"a": 1}', 'the "choices"'],
        [f"data: {JSON_TEXTS[0]}", "What is this?"],
        [*({"d": one} for one in CHUNKS), {"note": 1}],
        [*({"d": one} for one in CHUNKS), "note"],
        [{"d": one, **_MANY} for one in CHUNKS],
        [{"d": one, "asked": REQUEST} for one in CHUNKS],
        [{"__data__": one} for one in CHUNKS],
    ],
    ids=[
        "a number for a piece", "a piece missing", "a piece alone", "pieces in large objects", "other events",
        "other choices", "words", "other JSON", "words behind a line", "a chunk missing", "words for a chunk",
        "chunks in large objects", "chunks beside requests", "objects of a library",
    ],
)  # fmt: skip
def test_a_list_with_anything_else_in_it_is_no_stream(items: list[Any]) -> None:
    for document in (items, {"in": ASKED, "out": items}):
        assert not [part for part in _read(document) if isinstance(part, Exchange)]


def test_the_text_of_a_stream_beside_a_status_is_the_body_of_a_response() -> None:
    (exchange,) = _read([{"status": 200, "body": TEXT}])
    assert isinstance(exchange, Exchange)
    assert isinstance(exchange.response, Stream)
    assert exchange.http.status == 200
