"""Test writing and reading paths, which have ``[]`` for every index."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.pointer import follow, generic, pointers_and_values, steps_of

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


@given(json, st.lists(st.sampled_from(["a", "b", None]), max_size=4))
def test_pointers_at_a_path_have_this_path_and_lead_to_their_values(value: object, path: list[str | None]) -> None:
    for pointer, inner in pointers_and_values(value, tuple(path)):
        assert follow(value, pointer) == inner
        assert tuple(None if isinstance(step, int) else step for step in pointer) == tuple(path)
