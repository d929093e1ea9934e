"""Read CSV: exports of logs and of tables, with an exchange in each row. The first row names the columns.

Each row becomes a JSON object of strings, and is read as an object on a line of JSON Lines is. Each part of this object
has its place in the file. Cells are separated by commas, semicolons or tabs, and may be quoted as in RFC 4180.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TypeAlias

import orjson

from isogloss.validator.captures.capture import BLANK, LARGEST_DOCUMENT, MOST_SKIPPED, Capture, TooLarge, Unreadable
from isogloss.validator.captures.described import BEGINNING
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.records import exchanges
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.secrets import mask
from isogloss.validator.text import SegmentPairs, Text

__all__ = ["BEGINS_AS_JSON", "NAME", "read", "recognise"]

NAME = "csv"
BEGINS_AS_JSON = False

_SEPARATORS = (b",", b";", b"\t")
_NAME = rb"[A-Za-z_\x80-\xff][\w .:/()\[\]\x80-\xff-]{0,79}"
_PAYLOAD = rb'"(?:choices|messages)\\*"'
_QUOTED, _BARE = rb'""|[\\\x00-\x1f]', rb'["\\\x00-\x1f]'
"""What JSON writes in another way than a cell."""
_BLOCK = 1 << 20
"""About how many bytes a capture yields at once."""
_NO_BODY = "a row without a body of JSON or of events"
_ESCAPES = {bytes([code]): b"\\u%04x" % code for code in range(32)} | {
    b'""': b'\\"', b'"': b'\\"', b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t",
}  # fmt: skip
"""How JSON writes what stands in a cell. A quoted cell repeats each quotation mark."""

_Cell: TypeAlias = tuple[int, int]
"""Where the contents of a cell begin and end in the text, without the quotation marks around them."""


def recognise(capture: Capture) -> int:
    """Recognise a row of names and a row with as many cells, in a capture that has a property of a payload."""
    return 50 if re.search(_PAYLOAD, capture.head) and _separator(capture) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of each row, or a :class:`Skipped` for the row. Only some rows at a time are in memory."""
    separator = _separator(capture)
    if separator is None:
        raise Unreadable("not CSV: there is no row of names with a row of as many cells below it")
    rows = _rows(capture, separator)
    header, cells = next(rows)
    names = [header.data[start:end].decode("utf-8", "replace") for start, end in cells]
    begins_as_body = re.compile(BEGINNING).match
    number = skipped = 0
    for row, cells in rows:
        has_body = any(begins_as_body(row.data, *cell) for cell in cells)
        if has_body and len(cells) <= len(names):
            document = Document(_object(row, names, cells))
            for found in exchanges(capture, number, document.part(document.value)):
                yield found
                number += found.parts if isinstance(found, Skipped) else 1
            continue
        skipped += 1
        if skipped <= MOST_SKIPPED:
            too_many = f"line {row.place(cells[0][0]).line}: {len(cells)} cells, and only {len(names)} columns"
            yield Skipped(file=capture.name, number=number, reason=too_many if has_body else _NO_BODY)
        number += 1
    if skipped > MOST_SKIPPED:
        yield Skipped(file=capture.name, number=number, reason=_NO_BODY, parts=skipped - MOST_SKIPPED)


def _separator(capture: Capture) -> bytes | None:
    """Return what separates the cells of a table, or ``None`` if the capture does not begin as a table does."""
    counts = {separator: _count_columns(capture.head, separator, whole=capture.whole_head) for separator in _SEPARATORS}
    separator = max(counts, key=lambda one: counts[one])
    return separator if counts[separator] else None


def _count_columns(head: bytes, separator: bytes, *, whole: bool) -> int:
    """Return the number of columns: of names in the first row, if the second has as many cells, otherwise 0.

    The second row may end behind the head, have a fault, or not be there.
    """
    rows = _complete_rows(head, separator, whole=whole)
    _, names = next(rows, (0, []))
    if len(names) < 2 or not all(re.fullmatch(_NAME, head[start:end]) for start, end in names):
        return 0
    _, cells = next(rows, (0, names))
    return len(names) if len(cells) == len(names) else 0


@cache
def _cell_pattern(separator: bytes) -> re.Pattern[bytes]:
    quoted, bare = rb'"([^"]*+(?:""[^"]*+)*+)"', rb'([^"%b\r\n][^%b\r\n]*+|)' % (separator, separator)
    return re.compile(rb"(?:%b|%b)(?:(%b)|\r\n|[\r\n]|\Z)" % (quoted, bare, separator))


def _complete_rows(data: bytes, separator: bytes, *, whole: bool) -> Iterator[tuple[int, list[_Cell]]]:
    """Yield the end of each row that is not blank, and its cells, up to a row that is not complete or has a fault.

    If the data are not the ``whole``, a row that ends where they end may go on.
    """
    position = len(data) - len(data.lstrip(BLANK))
    cells: list[_Cell] = []
    for match in _cell_pattern(separator).finditer(data, position):
        if match.start() != position or (match.end() == len(data) and not whole):
            return
        is_quoted = match.start(1) >= 0
        cells.append(match.span(1 if is_quoted else 2))
        position = match.end()
        if match.start(3) < 0:
            if len(cells) > 1 or is_quoted or cells[0][0] < cells[0][1]:
                yield position, cells
            cells = []


def _rows(capture: Capture, separator: bytes) -> Iterator[tuple[Text, list[_Cell]]]:
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
        for end, cells in _complete_rows(data, separator, whole=not more):
            row = Text(masked[start:end], line)
            yield row, [(cell_start - start, cell_end - start) for cell_start, cell_end in cells]
            line += _count_line_ends(row.data)
            start = end
        rest = data[start:]
        if len(rest) > LARGEST_DOCUMENT:
            raise TooLarge(f"the row on line {line} is larger than {LARGEST_DOCUMENT >> 20} MiB")
    if rest.strip(BLANK):
        raise Unreadable(f"line {line}: not CSV: a quoted cell has no end, or text stands behind its end")


def _count_line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _object(text: Text, names: list[str], cells: list[_Cell]) -> Text:
    """Return the JSON object of a row, with a string for each cell that is not empty.

    If several columns have the same name, the first one counts.
    """
    data = text.data
    named: dict[str, _Cell] = {}
    for name, (start, end) in zip(names, cells, strict=False):
        if start < end:
            named.setdefault(name, (start, end))
    keys = [orjson.dumps(name) + b":" for name in named]
    strings = [_json_string(data, *cell) for cell in named.values()]
    json = b"{%b}" % b",".join(key + string for key, string in zip(keys, strings, strict=True))
    return Text.derived(json, text, lambda: _segments(data, keys, named.values()))


def _is_quoted(data: bytes, start: int) -> bool:
    return data[start - 1 : start] == b'"'


def _json_string(data: bytes, start: int, end: int) -> bytes:
    """Return the contents of a cell as a JSON string."""
    quotation_mark = b'""' if _is_quoted(data, start) else b'"'
    escaped = data[start:end].replace(b"\\", b"\\\\").replace(quotation_mark, b'\\"')
    return b'"%b"' % re.sub(rb"[\x00-\x1f]", lambda control: _ESCAPES[control[0]], escaped)


def _segments(data: bytes, keys: list[bytes], cells: Iterable[_Cell]) -> SegmentPairs:
    """Return where the parts of the JSON object of a row stand in the data. The keys have their colons."""
    found, position = SegmentPairs(), 1
    for key, (start, end) in zip(keys, cells, strict=True):
        position += len(key) + 1  # and a quotation mark
        for special in re.compile(_QUOTED if _is_quoted(data, start) else _BARE).finditer(data, start, end):
            found.add(position, start)
            position += special.start() - start + len(_ESCAPES[special[0]])
            start = special.end()
        found.add(position, start)
        position += end - start + 2  # a quotation mark and a comma
    return found
