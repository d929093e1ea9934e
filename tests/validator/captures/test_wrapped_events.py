"""Tests of events that a terminal wrote over several lines, in a copy of what it showed."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from logged_halves import answer_of, chunks_of
from reading import read_all

from isogloss.validator.exchange import Exchange, Payload, Stream

EVENTS = [f"data: {json.dumps(one)}" for one in chunks_of("a")]


def _wrapped(line: str, width: int) -> list[str]:
    return [line[start : start + width] for start in range(0, len(line), width)]


def _read(lines: list[str], end: str = "\n") -> list[Exchange]:
    """Return the exchanges of lines that a terminal shows below a command."""
    text = "".join(line + end for line in ("$ ./ask", *lines))
    return [part for part in read_all(text, "copy.txt") if isinstance(part, Exchange)]


@given(st.integers(40, max(map(len, EVENTS)) + 1), st.sampled_from(["\n", "\r\n"]))
def test_an_event_is_read_however_wide_the_terminal_was(width: int, end: str) -> None:
    lines = [part for event in EVENTS for part in (*_wrapped(event, width), "")]
    assume(any('"chat.completion' in line for line in lines))  # by which the text is recognised
    [stream] = [one.response for one in _read(lines, end)]
    assert isinstance(stream, Stream)
    assert stream.values == chunks_of("a")


def test_what_stands_in_a_wrapped_event_is_placed_on_its_line() -> None:
    [stream] = [one.response for one in _read([*_wrapped(EVENTS[0], 50), "", EVENTS[1]])]
    assert isinstance(stream, Stream)
    text = stream.text_of(0)
    assert text is not None
    for offset, place in ((0, (2, 7)), (44, (3, 1)), (94, (4, 1))):
        assert text.place(offset) == place


@pytest.mark.parametrize("between", ["INFO done", "", "data: {"])
def test_a_line_that_is_no_rest_of_an_event_is_read_as_itself(between: str) -> None:
    [found] = _read([EVENTS[0][:100], between, json.dumps(answer_of("b"))])
    assert isinstance(found.response, Payload)
    assert found.response.value == answer_of("b")
