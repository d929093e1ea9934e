"""Test to which choice a chunk belongs that has a wrong index, or none."""

from __future__ import annotations

from typing import Any

import pytest

from isogloss.validator.decode import stream_of_chunks
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text


def one(index: int | None, content: str = "", *, role: bool = False, end: bool = False) -> dict[str, Any]:
    """Return a choice of a chunk. Without an index, it has no such property."""
    delta = {"content": content} | ({"role": "assistant"} if role else {})
    return ({} if index is None else {"index": index}) | {"delta": delta, "finish_reason": "stop" if end else None}


def trace_of(*chunks: list[dict[str, Any]]) -> Trace:
    return Trace(stream_of_chunks([{"choices": chunk} for chunk in chunks], Text(b"[]")))


def sort(*chunks: list[dict[str, Any]]) -> tuple[dict[int, str], list[str]]:
    """Return the text of each choice, and the texts of the chunks that belong to one of them, nobody knows to which."""
    trace = trace_of(*chunks)
    texts = {
        index: "".join(delta.delta["content"] for delta in choice.all_deltas) for index, choice in trace.choices.items()
    }
    return texts, [delta.delta["content"] for delta in trace.strays]


BEGIN = [one(0, role=True)], [one(1, role=True)], [one(0, "a")], [one(1, "b")]
END = [one(0, end=True)], [one(1, end=True)]


@pytest.mark.parametrize(
    ("chunks", "texts", "strays"),
    [
        # an index that one chunk alone has is wrong while the others go on, and not behind their ends
        ([*BEGIN, [one(7, "x")], *END], {0: "a", 1: "b"}, ["x"]),
        ([*BEGIN, *END, [one(7, "x")]], {0: "a", 1: "b", 7: "x"}, []),
        # two choices in one chunk are two
        ([[one(0, role=True)], [one(0, "a"), one(7, "x")], [one(0, end=True)]], {0: "a", 7: "x"}, []),
        # few chunks inside an answer with a role and an end belong to it; they are a choice if it has no end
        ([[one(0, "a", role=True)], [one(0, "b")], [one(7, "x")], [one(0, "c")], [one(0, end=True)]], {0: "abxc"}, []),
        ([[one(0, "a", role=True)], [one(0, "b")], [one(7, "x")], [one(0, "c")]], {0: "abc", 7: "x"}, []),
        # an end under an index of its own is that of the only choice, even if each chunk has a role
        ([[one(0, "a", role=True)], [one(0, "b", role=True)], [one(1, role=True, end=True)]], {0: "ab"}, []),
        # so is what comes before its first role
        ([[one(0, "a")], [one(7, role=True)], [one(7, role=True, end=True)]], {7: "a"}, []),
        # a chunk with a role and an end is an answer of its own, even if others lack a role and an end
        ([*BEGIN[::2], [one(1, "b")], [one(7, "x", role=True, end=True)], [one(1, "c")], END[0]],
         {0: "a", 1: "bc", 7: "x"}, []),
        # an index that counts the chunks is no choice, unless most of the chunks are ends
        ([[one(0, "a", role=True)], [one(1, "b")], [one(2, "c", end=True)], [one(3, end=True)]], {0: "abc"}, []),
        ([[one(0, "a", role=True)], [one(1, "b", end=True)], [one(2, end=True)], [one(3, end=True)]],
         {0: "a", 1: "b", 2: "", 3: ""}, []),
        # of several choices, a chunk without an index may belong to any
        ([*BEGIN, [one(None, "x")], *END], {0: "a", 1: "b"}, ["x"]),
        # it belongs to the one that lacks the role or the end that it brings, but not if it brings both
        ([BEGIN[0], *BEGIN[2:], [one(None, "x", role=True)], *END], {0: "a", 1: "bx"}, []),
        ([*BEGIN, END[0], [one(None, "x", end=True)]], {0: "a", 1: "bx"}, []),
        ([BEGIN[0], *BEGIN[2:], [one(None, "x", role=True, end=True)], *END], {0: "a", 1: "b"}, ["x"]),
        # beside one choice, chunks without an index are another one only if a role tells where it begins
        ([[one(0, "a", role=True)], [one(None, "x", role=True)], [one(0, end=True)], [one(None, end=True)]],
         {0: "a", 1: "x"}, []),
        ([[one(0, "a", role=True)], [one(None, "x", role=True)],
          [one(0, role=True, end=True)], [one(None, role=True, end=True)]], {0: "ax"}, []),
        # they are not if they never end
        ([[one(0, "a", role=True)], [one(None, "x", role=True)], [one(0, end=True)]], {0: "ax"}, []),
        # if no choice has an index, each stands under its place in the chunk
        ([[one(None, "a", role=True), one(None, "b", role=True)], [one(None, end=True), one(None, end=True)]],
         {0: "a", 1: "b"}, []),
    ],
)  # fmt: skip
def test_chunk_belongs_to_the_choice_that_its_place_shows(
    chunks: list[list[dict[str, Any]]], texts: dict[int, str], strays: list[str]
) -> None:
    assert sort(*chunks) == (texts, strays)


def test_of_two_ends_of_one_choice_the_later_one_belongs_to_the_choice_without_an_end() -> None:
    trace = trace_of(*BEGIN, END[0], END[0])
    assert {index: [end.event for end in choice.finishing] for index, choice in trace.choices.items()} == {
        0: [4],
        1: [5],
    }
