"""Test the places of bytes in a text, in its slices, and in texts that are derived from it."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from isogloss.validator import text as text_module
from isogloss.validator.text import CellText, Place, Text, bad_utf8

lines_and_bytes = st.lists(
    st.sampled_from(
        [
            b"\n",
            b"\r",
            b"\r\n",
            b"a",
            "é".encode(),
            "漢".encode(),
            "😀".encode(),
            b"\xff",
            b"\xe6\xbc",
            b"\x82",
        ]
    )
).map(b"".join)


def count_place(data: bytes, offset: int) -> Place:
    """Return the place of an offset by its definition: count lines and columns, one code point at a time."""
    line = column = 1
    position = 0
    for character in data.decode(errors="surrogateescape"):
        position += 1 if "\udc80" <= character <= "\udcff" else len(character.encode())
        if position > offset:
            break
        if character == "\n" or (character == "\r" and data[position : position + 1] != b"\n"):
            line, column = line + 1, 1
        else:
            column += 1
    return Place(line, column)


@given(lines_and_bytes)
def test_place_counts_line_ends_and_code_points_before_the_byte(data: bytes) -> None:
    text = Text(data)
    for offset in range(len(data) + 1):
        assert text.place(offset) == count_place(data, offset)


@given(data=lines_and_bytes, block=st.integers(5, 12))
def test_places_far_inside_a_long_text_equal_those_counted_from_its_start(data: bytes, block: int) -> None:
    original, text_module._BLOCK = text_module._BLOCK, block
    try:
        text = Text(data)
        for offset in reversed(range(len(data) + 1)):
            assert text.place(offset) == count_place(data, offset)
    finally:
        text_module._BLOCK = original


def test_text_begins_at_the_given_line_and_column() -> None:
    text = Text(b'{"a":\n1}', line=7, column=3)
    assert text.place(0) == (7, 3)
    assert text.place(5) == (7, 8)
    assert text.place(6) == (8, 1)
    assert Text(b'{"a":1}', line=7, column=3).place(5) == (7, 8)
    assert Text('{"é":1}'.encode(), line=7, column=3).place(6) == (7, 8)


def test_line_in_a_cell_is_always_its_row() -> None:
    assert CellText(b'{"a":\r\n1}', 7).place(7) == (7, 8)
    assert CellText('{"é":\n1}'.encode(), 7).place(7) == (7, 7)


def test_offset_outside_a_text_has_the_place_of_the_nearest_one_inside() -> None:
    text = Text(b"ab\nc")
    assert text.place(-5) == (1, 1)
    assert text.place(99) == (2, 2)
    assert Text(b"").place(3) == (1, 1)


@given(lines_and_bytes, st.data())
def test_slice_of_a_text_has_the_places_of_its_bytes(data: bytes, source: st.DataObject) -> None:
    start = source.draw(st.integers(0, len(data)))
    end = source.draw(st.integers(start, len(data)))
    part = Text(data, line=3).slice(start, end)
    inner = part.slice(min(1, len(part.data)), len(part.data))
    assert part.data == data[start:end]
    for offset in range(len(part.data) + 1):
        assert part.place(offset) == Text(data, line=3).place(start + offset)
    if part.data:
        assert inner.place(0) == part.place(1)


def test_derived_text_has_the_places_that_its_segments_give() -> None:
    parent = Text(b'"a\\n\\u00e9b"', line=4)
    text = Text.derived("a\né".encode() + b"b", parent, [(0, 1), (1, 2), (2, 4), (4, 10)])
    assert [text.place(offset).column for offset in range(5)] == [2, 3, 5, 6, 11]


def test_place_of_a_byte_is_never_after_the_next_segment() -> None:
    text = Text.derived("\u2028b".encode(), Text(rb'"\Lb"'), [(0, 1), (3, 3)])
    assert [text.place(offset).column for offset in range(4)] == [2, 3, 3, 4]


def test_segments_given_as_a_function_are_computed_once_and_only_if_needed() -> None:
    calls: list[None] = []

    def segments() -> list[tuple[int, int]]:
        calls.append(None)
        return [(0, 2)]

    text = Text.derived(b"xyz", Text(b"  xyz"), segments)
    assert not calls
    assert text.place(1) == (1, 4)
    assert text.place(2) == (1, 5)
    assert len(calls) == 1


def test_every_byte_of_a_fixed_text_and_its_slices_has_the_same_place() -> None:
    body = Text.fixed(b"data: {}\n\n", Text(b"body:\n  H4sI"), 8)
    assert body.place(0) == body.place(9) == (2, 3)
    assert body.slice(6, 8).place(1) == (2, 3)


def test_derived_text_without_segments_has_the_place_where_its_parent_starts() -> None:
    assert Text.derived(b"x", Text(b"y", line=2), []).place(0) == (2, 1)


@given(lines_and_bytes, st.integers(1, 8))
def test_bad_utf8_finds_exactly_the_bytes_that_belong_to_no_character(data: bytes, window: int) -> None:
    original, text_module._WINDOW = text_module._WINDOW, window + 3
    try:
        runs = bad_utf8(data)
    finally:
        text_module._WINDOW = original
    position, bad_offsets = 0, set()
    for character in data.decode(errors="surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            bad_offsets.add(position)
            position += 1
        else:
            position += len(character.encode())
    assert {offset for start, end in runs for offset in range(start, end)} == bad_offsets
    assert all(first[1] < second[0] for first, second in pairwise(runs))


def test_bad_utf8_reads_only_the_given_part() -> None:
    assert bad_utf8(b"\xff\xc3\xa9\xff", 1, 3) == []
    assert bad_utf8("é".encode(), 0, 1) == [(0, 1)]


def test_an_offset_outside_of_a_part_counts_as_the_nearest_inside() -> None:
    whole = Text(b"abc\ndef\nghi")
    part = whole.slice(4, 6)
    assert [part.place(offset) for offset in (-3, 0, 2, 9)] == [Place(2, 1), Place(2, 1), Place(2, 3), Place(2, 3)]
    decoded = Text.derived(b"xxab", whole, [(2, 4)])
    assert [decoded.place(offset) for offset in (-3, 0, 4, 9)] == [Place(2, 1), Place(2, 1), Place(2, 3), Place(2, 3)]
    assert [whole.place(offset) for offset in (-3, 99)] == [Place(1, 1), Place(3, 4)]
