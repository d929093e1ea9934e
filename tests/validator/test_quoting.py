"""What messages have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.quoting import without_numbers

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(one=numbers, other=numbers)
def test_messages_that_differ_in_numbers_alone_are_of_one_kind(one: float, other: float) -> None:
    assert without_numbers(f"total_tokens is {one}, the parts make {other}") == without_numbers(
        "total_tokens is 7, the parts make 8"
    )


@pytest.mark.parametrize(
    "message", ['"gpt-4" is not one of "1" or "2"', "`top_5` is not part of the reference", "utf8"]
)
def test_quoted_names_and_values_and_words_are_kept(message: str) -> None:
    assert without_numbers(message) == message
