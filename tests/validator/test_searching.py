"""Test that a few bytes are found in texts of any length, wherever they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator.searching import find, holds_any, holds_one_of

NEEDLES = (rb"\u00", rb"\/")


@given(st.integers(0, 200_000), st.sampled_from(NEEDLES), st.integers(0, 70_000))
def test_a_sequence_is_found_wherever_it_is_in_a_text_of_any_length(before: int, needle: bytes, behind: int) -> None:
    assert holds_any(b"\\" * before + needle + b"u" * behind, *NEEDLES)
    assert not holds_any(b"\\" * before + b"u" * behind, *NEEDLES)


@given(st.integers(0, 70_000), st.sampled_from([b'"eyJ', b'"ewo', b'"ZGF0YT']), st.integers(0, 70_000))
def test_one_of_many_sequences_is_found_wherever_it_is(before: int, needle: bytes, behind: int) -> None:
    needles = (b'"eyJ', b'"ewo', b'"ewk', b'"ZGF0YT')
    assert holds_one_of(b'"' * before + needle + b"e" * behind, needles)
    assert not holds_one_of(b"e" * before + needle[1:] + b'"' * behind, needles)


@given(st.integers(0, 40_000), st.sampled_from(NEEDLES), st.integers(0, 40_000), st.data())
def test_a_sequence_counts_only_if_it_ends_behind_the_start(
    before: int, needle: bytes, behind: int, data: st.DataObject
) -> None:
    text, end = b"x" * before + needle + b"x" * behind, before + len(needle)
    start = data.draw(st.integers(max(0, end - 5), min(len(text), end + 5)))
    if start < end:
        assert holds_any(text, *NEEDLES, start=start)
    if start >= before + max(map(len, NEEDLES)):
        assert not holds_any(text, *NEEDLES, start=start)


@given(st.integers(0, 70_000), st.sampled_from([rb"\u00", b'"name"']), st.integers(0, 70_000))
def test_the_first_offset_of_a_sequence_is_found(before: int, needle: bytes, behind: int) -> None:
    assert find(b"\\" * before + needle + b"u" * behind + needle, needle) == before
    assert find(b"x" * before + needle[1:] + b"u" * behind, needle) == -1
