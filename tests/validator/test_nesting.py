"""Tests of the limits on how deep a value is nested."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.nesting import is_deeper, shallow

VALUES = st.recursive(
    st.none() | st.integers(), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2)
)


def _levels(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max((_levels(part) for part in (value.values() if isinstance(value, dict) else value)), default=0)


@given(VALUES, st.integers(0, 6))
def test_a_value_is_deeper_than_its_copy_with_fewer_levels(value: Any, levels: int) -> None:
    assert is_deeper(value, levels) == (_levels(value) > levels)
    assert is_deeper(value, levels) or shallow(value, levels) == value


def test_the_time_grows_with_what_is_written_and_not_with_what_it_means() -> None:
    value: Any = []
    for _ in range(60):
        value = [value, value]  # as the aliases of YAML say
    assert not is_deeper(value, 61)
    value.append(value)
    assert is_deeper(value)
