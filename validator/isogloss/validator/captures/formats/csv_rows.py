"""Read CSV: exports of logs and of tables, with an exchange in each row. The first row names the columns.

Each row becomes a JSON object of strings, and is read as an object on a line of JSON Lines is. Each part of this object
has its place in the file. Cells are separated by commas, semicolons or tabs, and may be quoted as in RFC 4180.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TypeAlias

import orjson

from isogloss.validator.captures.capture import BLANK, MOST_SKIPPED, Capture, Unreadable
from isogloss.validator.captures.described import BEGINNING
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.records import exchanges
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["BEGINS_AS_JSON", "NAME", "read", "recognise"]

NAME = "csv"
BEGINS_AS_JSON = False

_SEPARATORS = (b",", b";", b"\t")
_NAME = rb"[A-Za-z_\x80-\xff][\w .:/()\[\]\x80-\xff-]{0,79}"
_PAYLOAD = rb'"(?:choices|messages)\\*"'
_QUOTED, _BARE = rb'""|[\\\x00-\x1f]', rb'["\\\x00-\x1f]'
"""What JSON writes in another way than a cell."""
_NO_BODY = "a row without a body of JSON or of events"
_ESCAPES = {bytes([code]): b"\\u%04x" % code for code in range(32)} | {
    b'""': b'\\"', b'"': b'\\"', b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t",
}  # fmt: skip
"""How JSON writes what stands in a cell. A quoted cell repeats each quotation mark."""

_Cell: TypeAlias = tuple[int, int]
"""Where the contents of a cell begin and end in the text, without the quotation marks around them."""


def recognise(capture: Capture) -> int:
    """Recognise a row of names and a row with as many cells, in a capture that has a property of a payload."""
    return 50 if re.search(_PAYLOAD, capture.head) and _separator(capture.head, whole=capture.whole_head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of each row, or a :class:`Skipped` for the row."""
    text = capture.text
    separator = _separator(text.data, whole=True)
    if separator is None:
        raise Unreadable("not CSV: there is no row of names with a row of as many cells below it")
    data = text.data
    rows = _rows(data, separator)
    names = [data[start:end].decode("utf-8", "replace") for start, end in next(rows)]
    begins_as_body = re.compile(BEGINNING).match
    number = skipped = 0
    for cells in rows:
        has_body = any(begins_as_body(data, *cell) for cell in cells)
        if has_body and len(cells) <= len(names):
            document = Document(_object(text, names, cells))
            for found in exchanges(capture, number, document.part(document.value)):
                yield found
                number += found.parts if isinstance(found, Skipped) else 1
            continue
        skipped += 1
        if skipped <= MOST_SKIPPED:
            line = text.place(cells[0][0]).line
            reason = f"line {line}: {len(cells)} cells, and only {len(names)} columns" if has_body else _NO_BODY
            yield Skipped(file=capture.name, number=number, reason=reason)
        number += 1
    if skipped > MOST_SKIPPED:
        yield Skipped(file=capture.name, number=number, reason=_NO_BODY, parts=skipped - MOST_SKIPPED)


def _separator(data: bytes, *, whole: bool) -> bytes | None:
    """Return what separates the cells of a table, or ``None`` if the data do not begin as a table does.

    ``whole`` says that the table does not go on behind the data.
    """
    counts = {separator: _count_columns(data, separator, whole=whole) for separator in _SEPARATORS}
    separator = max(counts, key=lambda one: counts[one])
    return separator if counts[separator] else None


def _count_columns(data: bytes, separator: bytes, *, whole: bool) -> int:
    """Return the number of columns: of names in the first row, if the second has as many cells, otherwise 0."""
    rows = _rows(data, separator)
    names: list[_Cell] = []
    try:
        names = next(rows, [])
        cells = next(rows, [])
    except Unreadable:
        cells = names  # the second row has a fault, or ends behind the data
    is_cut = not whole and bool(cells) and cells[-1][1] == len(data)
    if len(names) < 2 or not all(re.fullmatch(_NAME, data[start:end]) for start, end in names):
        return 0
    return len(names) if is_cut or len(cells) == len(names) else 0


@cache
def _cell_pattern(separator: bytes) -> re.Pattern[bytes]:
    quoted, bare = rb'"([^"]*+(?:""[^"]*+)*+)"', rb'([^"%b\r\n][^%b\r\n]*+|)' % (separator, separator)
    return re.compile(rb"(?:%b|%b)(?:(%b)|\r\n|[\r\n]|\Z)" % (quoted, bare, separator))


def _rows(data: bytes, separator: bytes) -> Iterator[list[_Cell]]:
    """Yield the cells of each row that is not blank. Raises :class:`Unreadable` where quotation marks do not fit."""
    position = len(data) - len(data.lstrip(BLANK))
    cells: list[_Cell] = []
    for match in _cell_pattern(separator).finditer(data, position):
        if match.start() != position:
            line = data.count(b"\n", 0, position) + 1
            raise Unreadable(f"line {line}: not CSV: a quoted cell has no end, or text stands behind its end")
        is_quoted = match.start(1) >= 0
        cells.append(match.span(1 if is_quoted else 2))
        position = match.end()
        if match.start(3) < 0:
            if len(cells) > 1 or is_quoted or cells[0][0] < cells[0][1]:
                yield cells
            cells = []


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


def _segments(data: bytes, keys: list[bytes], cells: Iterable[_Cell]) -> list[tuple[int, int]]:
    """Return where the parts of the JSON object of a row stand in the data. The keys have their colons."""
    found, position = [], 1
    for key, (start, end) in zip(keys, cells, strict=True):
        position += len(key) + 1  # and a quotation mark
        for special in re.compile(_QUOTED if _is_quoted(data, start) else _BARE).finditer(data, start, end):
            found.append((position, start))
            position += special.start() - start + len(_ESCAPES[special[0]])
            start = special.end()
        found.append((position, start))
        position += end - start + 2  # a quotation mark and a comma
    return found
