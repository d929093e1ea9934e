"""Parse CSV: find the style of a table and the cells of each row.

Cells are separated by commas, semicolons or tabs, and may be quoted. A quotation mark in a quoted cell is doubled (RFC
4180), or has a backslash before it, as Spark writes it (Spark 4.3, with the options that it has by default, run
2026-11). Between tabs, ClickHouse and PostgreSQL write cells without quotation marks, in which backslashes begin
escapes (https://clickhouse.com/docs/interfaces/formats/TabSeparated,
https://www.postgresql.org/docs/current/sql-copy.html, read 2026-11). The module ``csv`` of Python does not say where a
cell stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from isogloss.validator.captures.capture import BLANK, Capture
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge, Unreadable
from isogloss.validator.captures.rows.row import AS_IS, Cell, Quoting, begins_as_body, row_as_json
from isogloss.validator.decode import decode_json
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text, count_line_ends

__all__ = ["CellStyle", "json_of", "may_hold_bodies", "rows_of", "style_of"]

_SEPARATORS = (b",", b";", b"\t")
_NAME = rb"[A-Za-z_\x80-\xff][\w .:/()\[\]\x80-\xff-]{0,79}"
_BLOCK = 1 << 20
"""About how many bytes a capture yields at once."""
_FIRST_QUOTATION_MARK = rb'[\[{]\s*("|\\)"'
"""The quotation mark of the first property or item of a body, in a cell that is quoted."""


class _Row(NamedTuple):
    """Where a row ends, and its cells. It is not complete if it has a fault, or if the data end in it."""

    end: int
    cells: list[Cell]
    complete: bool = True


_NO_ROW = _Row(0, [], complete=False)


_DOUBLED = Quoting(rb'""|[\\\x00-\x1f]', {b'""': b'\\"'}, b'""')
_BACKSLASH = Quoting(rb'\\["\\]|[\\\x00-\x1f]', {b"\\\\": b"\\\\", b'\\"': b'\\"'})
_ESCAPED = Quoting(
    rb"\\[bfnrtv0'\\]|[\"\\\x00-\x1f]",
    {b"\\\\": b"\\\\", b"\\'": b"'", b"\\v": b"\\u000b", b"\\0": b"\\u0000"}
    | {b"\\" + name: b"\\" + name for name in (b"b", b"f", b"n", b"r", b"t")},
)
"""A cell without quotation marks in which backslashes begin escapes."""
_CONTENTS = {_DOUBLED: rb'[^"]*+(?:""[^"]*+)*+', _BACKSLASH: rb'[^"\\]*+(?:\\.[^"\\]*+)*+'}
"""Patterns for the contents of a cell in quotation marks."""


class CellStyle(NamedTuple):
    """How a table writes its cells: what separates them, and how they are quoted."""

    separator: bytes
    quoting: Quoting


def style_of(capture: Capture) -> CellStyle | None:
    """Return how a table writes its cells, or ``None`` if the capture does not begin as a table does."""
    mark = re.search(_FIRST_QUOTATION_MARK, capture.head)
    quotings = (_BACKSLASH, _DOUBLED) if mark and mark[1] == b"\\" else (_DOUBLED, _BACKSLASH)
    styles = [CellStyle(separator, quoting) for quoting in quotings for separator in _SEPARATORS]
    counts = [_rows_and_columns(capture.head, style, whole=capture.whole_head) for style in styles]
    best = max(counts)
    return styles[counts.index(best)] if best > (0, 0) else None


def _rows_and_columns(head: bytes, style: CellStyle, *, whole: bool) -> tuple[int, int]:
    """Return how many complete rows fit, and the number of columns. Both are 0 if the head is no table of this style.

    The first row must hold names, and the second as many cells. The second row may end behind the head, have a fault,
    or not be there.
    """
    rows = _rows(head, style, whole=whole)
    first, second = next(rows, _NO_ROW), next(rows, _NO_ROW)
    count = len(first.cells)
    is_of_names = first.complete and all(re.fullmatch(_NAME, head[start:end]) for start, end in first.cells)
    fits = len(second.cells) == count if second.complete else len(second.cells) <= count
    if not is_of_names or count < 2 or not fits:
        return 0, 0
    return sum(row.complete and len(row.cells) == count for row in (first, second, *rows)), count


def may_hold_bodies(capture: Capture, style: CellStyle) -> bool:
    """Return whether a cell below the names, in the head of the capture, begins as a body does.

    A row that is only a body does not count: logs, too, may begin with values behind tabs.
    """
    rows = islice(_rows(capture.head, style, whole=capture.whole_head), 1, None)
    return any(begins_as_body(capture.head, *cell) for row in rows if len(row.cells) > 1 for cell in row.cells)


@cache
def _cell_pattern(style: CellStyle) -> re.Pattern[bytes]:
    bare = rb'[^"%b\r\n][^%b\r\n]*+|' % (style.separator, style.separator)
    return re.compile(rb'(?s:"(%b)"|(%b))(?:(%b)|[\r\n]++|\Z)' % (_CONTENTS[style.quoting], bare, style.separator))


def _rows(data: bytes, style: CellStyle, *, whole: bool) -> Iterator[_Row]:
    """Yield each row that is not blank. If a row has a fault, it is the last one, and so is its last cell.

    If the data are not the ``whole``, a row that ends where they end may go on.
    """
    position, size = len(data) - len(data.lstrip(BLANK)), len(data)
    cells: list[Cell] = []
    pattern = _cell_pattern(style)
    while match := pattern.match(data, position):
        if match.end() == size and not whole:
            break
        is_quoted = match[1] is not None
        cells.append(match.span(1 if is_quoted else 2))
        position = match.end()
        if match[3] is None:
            if len(cells) > 1 or is_quoted or cells[0][0] < cells[0][1]:
                yield _Row(position, cells)
            cells = []
            if position == size:
                break
    if position < size:
        is_quoted = data.startswith(b'"', position)
        yield _Row(size, [*cells, (position + is_quoted, size)], complete=False)


def rows_of(capture: Capture, style: CellStyle) -> Iterator[tuple[Text, list[Cell]]]:
    """Yield the text of each row that is not blank, with its cells.

    Raises :class:`TooLarge`, and :class:`Unreadable` where quotation marks do not fit.
    """
    blocks = capture.blocks()
    rest, line, more = b"", 1, True
    while more:
        # At least as much again is read, so that a long row is not looked through too often.
        read_blocks = list(islice(blocks, 1 + len(rest) // _BLOCK))
        more = bool(read_blocks)
        data = b"".join([rest, *read_blocks])
        masked, start = mask(data), 0
        for end, cells, complete in _rows(data, style, whole=not more):
            if complete:
                row = Text(masked[start:end], line)
                yield row, [(cell_start - start, cell_end - start) for cell_start, cell_end in cells]
                line += count_line_ends(row.data)
                start = end
        rest = data[start:]
        if len(rest) > LARGEST_DOCUMENT:
            raise TooLarge(f"the row on line {line} is larger than {LARGEST_DOCUMENT >> 20} MiB")
    if rest.strip(BLANK):
        raise Unreadable(f"line {line}: not CSV: a quoted cell has no end, or text stands behind its end")


def json_of(row: Text, style: CellStyle, names: list[str], cells: list[Cell]) -> Text:
    """Return the JSON object of a row, with a string for each cell that is not empty."""
    quotings = (_quoting(row.data, style, *cell) for cell in cells)
    return row_as_json(row, zip(names, cells, quotings, strict=False))


def _quoting(data: bytes, style: CellStyle, start: int, end: int) -> Quoting:
    """Return how a cell is written. Between tabs, a body that is only sound without escapes is written with them."""
    if data[start - 1 : start] == b'"':
        return style.quoting
    if style.separator != b"\t" or data.find(b"\\", start, end) < 0 or _begins_soundly(data[start:end]):
        return AS_IS
    spelled = decode_json(_ESCAPED.json_string(data[start:end]))
    is_escaped = spelled is not None and _begins_soundly(str(spelled.value).encode("utf-8", "replace"))
    return _ESCAPED if is_escaped else AS_IS


def _begins_soundly(body: bytes) -> bool:
    """Return whether a body is JSON, or its first line an event of JSON."""
    first = body.partition(b"\n")[0].removeprefix(b"data:") if body.startswith(b"data:") else body
    return decode_json(first) is not None
