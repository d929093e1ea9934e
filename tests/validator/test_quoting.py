"""Test that messages which differ only in numbers count as the same message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.quoting import without_numbers

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(first=numbers, second=numbers)
def test_messages_that_differ_only_in_numbers_are_the_same_without_numbers(first: float, second: float) -> None:
    assert without_numbers(f"total_tokens is {first}, its parts add up to {second}") == without_numbers(
        "total_tokens is 7, its parts add up to 8"
    )


@pytest.mark.parametrize(
    "message", ['"gpt-4" is not one of "1" or "2"', "`top_5` is not part of the reference", "utf8"]
)
def test_numbers_in_quoted_values_names_and_words_are_kept(message: str) -> None:
    assert without_numbers(message) == message


def test_digits_in_groups_of_three_are_one_number() -> None:
    assert without_numbers("29,000 more parts, 2 of 1,234,567") == "# more parts, # of #"
