"""Test on which events of a stream a deviation is said to be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.impact.extent import Extents
from isogloss.validator.pointer import Pointer

Deviates = list[bool | None]
"""For each event of a stream, whether it has the deviation; ``None`` for an event that could not have it."""


def _expected(deviates: Deviates) -> str:
    possible = [one for one in deviates if one is not None]
    if all(possible):
        return "on every event" if len(possible) > 1 else "on the only event"
    return "on the first event" if possible[0] else "on later events"


@pytest.mark.parametrize("is_absent", [False, True])
@given(st.lists(st.sampled_from([True, False, None])).filter(any))
def test_the_extent_says_whether_the_first_and_whether_every_event_with_the_place_has_the_deviation(
    is_absent: bool, deviates: Deviates
) -> None:
    objects: dict[bool | None, Any] = {True: {} if is_absent else {"object": 1}, False: {"object": "a"}, None: None}
    choices = [[] if one is None else [objects[one]] for one in deviates]
    events = {number for number, one in enumerate(deviates) if one}
    pointer = ("choices", 0, "object")
    assert Extents([{"choices": one} for one in choices]).of(pointer, events) == _expected(deviates)


@pytest.mark.parametrize(
    ("calls", "extent"),
    [([{}], "on the only event"), ([{}, {}], "on every event"), ([{}, {"index": 1}], "on every event")],
)
def test_calls_of_one_event_are_several_places(calls: list[Any], extent: str) -> None:
    pointer: Pointer = ("choices", 0, "delta", "tool_calls", 0, "index")
    text, fragments = ({"choices": [{"delta": delta}]} for delta in ({"content": "Hm"}, {"tool_calls": calls}))
    assert Extents([text, fragments, text]).of(pointer, {1}) == extent
