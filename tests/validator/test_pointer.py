"""Test writing and reading paths, which have ``[]`` for every index."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_texts import pointers

from isogloss.validator.pointer import (
    ABSENT,
    Pointer,
    existing_steps,
    follow,
    generic,
    pointers_and_values,
    read,
    steps_of,
)

steps = st.lists(st.text(max_size=6) | st.integers(0, 3), max_size=5)


@given(steps)
def test_path_is_read_as_it_was_written(pointer: list[str | int]) -> None:
    assert steps_of(generic(tuple(pointer))) == tuple(step if isinstance(step, str) else None for step in pointer)


@pytest.mark.parametrize("path", [".a", "a.", "a..b", "a[0]", "a[", 'a["b]', "a b", "[]a", "a.[]"])
def test_text_that_is_no_path_is_not_read(path: str) -> None:
    assert steps_of(path) is None


json = st.recursive(
    st.integers(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
)


def _path(pointer: Pointer) -> tuple[str | None, ...]:
    return tuple(None if isinstance(step, int) else step for step in pointer)


@given(json, st.data())
def test_pointers_at_a_path_are_all_that_have_it_and_lead_to_their_values(value: object, data: st.DataObject) -> None:
    existing = pointers(value)
    path = _path(data.draw(st.sampled_from(existing)))
    found = dict(pointers_and_values(value, path))
    assert list(found) == [pointer for pointer in existing if _path(pointer) == path]
    assert all(follow(value, pointer) == inner for pointer, inner in found.items())


@given(json, st.lists(st.sampled_from(["c", None]), min_size=1, max_size=4))
def test_no_pointers_are_at_a_path_that_a_value_does_not_have(value: object, path: list[str | None]) -> None:
    assert list(pointers_and_values(value, (*path, "c"))) == []


@pytest.mark.parametrize(
    ("pointer", "count"),
    [
        ((), 0),
        (("a",), 1),
        (("a", 0, "b"), 3),
        (("a", 1), 1),
        (("a", 0, "c", "b"), 2),
        (("b", "a"), 0),
        (("a", "b"), 1),
    ],
)
def test_steps_exist_up_to_the_first_that_does_not(pointer: Pointer, count: int) -> None:
    assert existing_steps({"a": [{"b": None}]}, pointer) == count


@pytest.mark.parametrize(
    "pointer", [("text", 0), ("text", 0, 0), ("text", "length"), ("list", 2), ("list", "0"), ("number", 0), (0,)]
)
def test_nothing_is_read_where_a_step_is_missing_or_leads_into_a_text(pointer: Pointer) -> None:
    assert read({"text": "word", "list": ["a", "b"], "number": 5}, pointer) is ABSENT


def test_an_item_of_one_character_is_read() -> None:
    assert read({"list": ["a", "b"]}, ("list", 1)) == "b"
