"""Find the place of bytes in a capture file, however deeply they were wrapped, and the bytes that are no UTF-8."""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, overload

from msgspec import Struct

__all__ = ["CellText", "Place", "SegmentPairs", "Segments", "Text", "bad_runs", "bad_utf8", "count_line_ends"]

Segments: TypeAlias = Sequence[tuple[int, int]]
"""Ascending pairs (offset in the text, offset in its parent). Inside a segment, both advance byte by byte."""

_BLOCK = 1 << 12  # bytes between two marks of a root text: for one place, at most so many are read
_WINDOW = 1 << 20  # bytes decoded at once when looking for bad UTF-8
_ESCAPED = "[\\udc80-\\udcff]+"


class Place(NamedTuple):
    """A place in a capture file. Lines and columns count from 1.

    `column` counts the code points of the line, without a byte order mark before the text.
    """

    line: int
    column: int


class SegmentPairs(Sequence[tuple[int, int]]):
    """Segments that take 16 bytes each, since a text may have millions of them."""

    __slots__ = ("_offsets", "_parent_offsets")

    def __init__(self) -> None:
        self._offsets = array("q")
        self._parent_offsets = array("q")

    def add(self, here: int, there: int) -> None:
        """Add the segment that begins at `here` in the text and at `there` in its parent. Both have to ascend."""
        self._offsets.append(here)
        self._parent_offsets.append(there)

    def __len__(self) -> int:
        return len(self._offsets)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._offsets, self._parent_offsets, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[int, int]]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | list[tuple[int, int]]:
        if isinstance(index, slice):
            return list(zip(self._offsets[index], self._parent_offsets[index], strict=True))
        return self._offsets[index], self._parent_offsets[index]


class Text(Struct, eq=False, gc=False):
    """A text as UTF-8, with the mapping from its offsets to places in the capture file.

    `Text(data, line, column)` is a verbatim slice of the file. Its first byte is at that line and column, both from 1,
    and its lines end at LF, CRLF or CR. `derived`, `spelled` and `fixed` return texts that were decoded from another
    text. Treat texts as immutable, except `places`: code that finds places in a text keeps its results there, since
    many exchanges may be in one text.
    """

    data: bytes
    line: int = 1
    column: int = 1
    places: Any = None
    _marks: list[tuple[int, int, int]] | None = None

    @staticmethod
    def derived(data: bytes, parent: Text, segments: Segments | Callable[[], Segments]) -> Text:
        """Return `data` as a text decoded out of `parent`; `place` uses `segments`, or calls them first to get them."""
        return _Derived(data, parent=parent, mapping=segments)

    @staticmethod
    def spelled(data: bytes, parent: Text, find: Callable[[], Callable[[int], int]]) -> Text:
        """Return `data` as a text decoded out of `parent`.

        `find` is called when it is needed. It returns a function that maps offsets in `data` to offsets in `parent`.
        """
        return _Spelled(data, parent=parent, find=find)

    @staticmethod
    def fixed(data: bytes, parent: Text, offset: int) -> Text:
        """Return `data` as a text that is in `parent` at `offset` as a whole, e.g. because it was compressed there."""
        return _Derived(data, parent=parent, mapping=offset)

    def slice(self, start: int, end: int) -> Text:
        """Return the text of `data[start:end]`."""
        return _Slice(self.data[start:end], parent=self, start=start)

    def whole(self) -> Text:
        """Return the text that this one was cut out of or decoded from, or the text itself."""
        return self

    def outermost(self) -> Text:
        """Return the text of the capture that this one was cut out of or decoded from, in as many steps as it takes."""
        text: Text = self
        while (whole := text.whole()) is not text:
            text = whole
        return text

    def place(self, offset: int) -> Place:
        """Return the place of `data[offset]` in the capture file. Offsets outside count as the nearest inside."""
        data = self.data
        if not 0 <= offset <= len(data):
            offset = 0 if offset < 0 else len(data)
        if self._marks is None:
            self._marks = [] if self._is_simple() else [(0, self.line, self.column)]
            if self.data.startswith(codecs.BOM_UTF8):  # no editor counts it as a column
                self._marks.append((len(codecs.BOM_UTF8), self.line, self.column))
        if not self._marks:
            return Place(self.line, self.column + offset)
        if offset < len(data) and data[offset] & 0xC0 == 0x80:
            offset = _character_start(data, offset)
        start, line, column = self._mark(self._marks, offset)
        return Place(*self._advance(start, offset, line, column))

    def _is_simple(self) -> bool:
        """Return whether the text is one line of ASCII. Then its offsets lead directly to its columns."""
        return self.data.isascii() and b"\n" not in self.data and b"\r" not in self.data

    def _advance(self, start: int, end: int, line: int, column: int) -> tuple[int, int]:
        return _advance(self.data, start, end, line, column)

    def _mark(self, marks: list[tuple[int, int, int]], offset: int) -> tuple[int, int, int]:
        """Return the last mark (offset, line, column) at or before `offset`, after adding the missing ones to `marks`.

        Because of the marks, finding many places costs one pass.
        """
        while (start := marks[-1][0]) + _BLOCK <= offset:
            end = _character_start(self.data, start + _BLOCK)
            marks.append((end, *self._advance(start, end, *marks[-1][1:])))
        return marks[bisect_right(marks, offset, key=lambda mark: mark[0]) - 1]


class CellText(Text, eq=False):
    """The text in a cell of a table.

    Its line is always the row, even if it contains line ends, and its columns count from 1.
    """

    def _advance(self, start: int, end: int, line: int, column: int) -> tuple[int, int]:
        return line, column + _code_points(self.data[start:end])


class _Derived(Text, eq=False, kw_only=True):
    """A text whose offsets map to a parent: by segments, or all to one offset."""

    parent: Text
    mapping: Segments | Callable[[], Segments] | int = ()

    def whole(self) -> Text:
        return self.parent

    def place(self, offset: int) -> Place:
        text: Text = self
        while isinstance(text, _Derived):
            offset = text._parent_offset(max(0, min(offset, len(text.data))))
            text = text.parent
        return text.place(offset)

    def _parent_offset(self, offset: int) -> int:
        mapping = self.mapping
        if isinstance(mapping, int):
            return mapping
        if callable(mapping):
            mapping = self.mapping = mapping()
        if not mapping:
            return 0
        index = max(0, bisect_right(mapping, offset, key=lambda segment: segment[0]) - 1)
        start, parent_start = mapping[index]
        found = parent_start + max(0, offset - start)
        # A decoded character can be longer than its spelling (YAML `\\L`): stay before the next segment.
        if index + 1 < len(mapping) and mapping[index + 1][1] > parent_start:
            found = min(found, mapping[index + 1][1] - 1)
        return found


class _Slice(_Derived, eq=False, kw_only=True):
    """A part of its parent, which begins at an offset of it."""

    start: int

    def _parent_offset(self, offset: int) -> int:
        return self.start + offset


class _Spelled(_Derived, eq=False, kw_only=True):
    """A text with a function that maps its offsets to offsets in a parent. `find` returns it."""

    find: Callable[[], Callable[[int], int]]
    _map_offset: Callable[[int], int] | None = None

    def _parent_offset(self, offset: int) -> int:
        if self._map_offset is None:
            self._map_offset = self.find()
        return self._map_offset(offset)


def bad_utf8(data: bytes, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return the runs (start, end) of bytes in `data[start:end]` that belong to no UTF-8 character, in order."""
    return list(bad_runs(data, start, end))


def bad_runs(data: bytes, start: int, end: int | None) -> Iterator[tuple[int, int]]:
    """Yield the runs that `bad_utf8` returns, one by one."""
    end = len(data) if end is None else min(end, len(data))
    view = memoryview(data)
    position = start
    pending: tuple[int, int] | None = None  # a run that may continue in the next window
    while position < end:
        window = view[position : min(end, position + _WINDOW)]
        last = position + len(window) == end
        try:
            used = codecs.utf_8_decode(window, "strict", last)[1]
        except UnicodeDecodeError:
            text, used = codecs.utf_8_decode(window, "surrogateescape", last)
            for first, after in _runs(text, position):
                if pending is not None and pending[1] == first:
                    first = pending[0]
                elif pending is not None:
                    yield pending
                pending = (first, after)
        position += used
    if pending is not None:
        yield pending


def _runs(text: str, position: int) -> Iterator[tuple[int, int]]:
    """Yield the runs in `text`, which was decoded with surrogateescape from bytes that start at `position`."""
    done = 0
    for match in re.finditer(_ESCAPED, text):
        start = position + len(text[done : match.start()].encode())
        done = match.end()
        position = start + done - match.start()
        yield start, position


def count_line_ends(data: bytes) -> int:
    """Count the line ends in bytes: LF, CR, or both together."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _advance(data: bytes, start: int, end: int, line: int, column: int) -> tuple[int, int]:
    """Return the line and the column of `data[end]` if `data[start]` is at `line` and `column`."""
    # A CR directly before an LF ends no line by itself, not even when that LF stands at `end`.
    breaks = 0
    if data.find(b"\n", start, end) >= 0 or data.find(b"\r", start, end) >= 0:
        breaks = data.count(b"\n", start, end) + data.count(b"\r", start, end)
        breaks -= data.count(b"\r\n", start, end + 1)
    if breaks:
        carriage = data.rfind(b"\r", start, end)
        if carriage + 1 == end and data[end : end + 1] == b"\n":
            carriage = data.rfind(b"\r", start, carriage)
        start, column = max(data.rfind(b"\n", start, end), carriage) + 1, 1
    return line + breaks, column + _code_points(data[start:end])


def _code_points(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.decode(errors="surrogateescape"))


def _character_start(data: bytes, offset: int) -> int:
    """Return the start of the UTF-8 character that contains `data[offset]`, or `offset` itself for a bad byte."""
    if offset == len(data) or data[offset] & 0xC0 != 0x80:
        return offset
    for start in range(offset - 1, max(-1, offset - 4), -1):
        lead = data[start]
        if lead & 0xC0 != 0x80:
            size = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            whole = start + size > offset and not bad_utf8(data, start, start + size)
            return start if whole else offset
    return offset
