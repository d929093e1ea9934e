"""Find the rows in a dump of an SQL database, and write each of them that may hold bodies as JSON.

Rows are lines with tabs behind ``COPY … FROM stdin``, as ``pg_dump`` writes them, or lists of values in ``INSERT``, as
``pg_dump --inserts``, ``mysqldump``, ``.dump`` of SQLite and others do. If ``INSERT`` does not name the columns,
``CREATE TABLE`` did. In strings, quotation marks are doubled; in those of MySQL and in ``E'…'``, backslashes begin
escapes, too. SQLite writes line ends as ``replace('…\\n…','\\n',char(10))``, newer versions as ``unistr('…\\u000a…')``
(pg_dump 15.18 and SQLite 3.40.1, run 2026-11; https://www.postgresql.org/docs/current/sql-copy.html,
https://dev.mysql.com/doc/refman/8.4/en/string-literals.html and https://sqlite.org/lang_corefunc.html#unistr, 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, count, takewhile
from typing import TypeAlias

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge
from isogloss.validator.captures.rows.row import AS_IS, Cell, Quoting, begins_as_body, row_as_json
from isogloss.validator.text import Text

__all__ = ["rows_of"]

_NAME = rb'(?:"[^"]*"|`[^`]*`|\[[^\]]*\]|[\w$]+)'
_TABLE = rb"(?:%b\.)*(?P<table>%b)\s*" % (_NAME, _NAME)
_COPY = rb"(?i)COPY %b\((?P<names>[^()]*)\) FROM stdin;" % _TABLE
_CREATE = rb"(?i)CREATE (?:\w+ )?TABLE (?:IF NOT EXISTS )?%b(?=\()" % _TABLE
_INSERT = rb"(?i)(?:INSERT|REPLACE) (?:OR \w+ |IGNORE )?INTO %b(?:\((?P<names>[^()]*)\))?[\w\s]*?\bVALUES\b" % _TABLE
_STATEMENT = rb"(?i)(?:INSERT|REPLACE|CREATE) "
_COLUMN = rb"\s*+(?:--[^\n]*+\s*+)*+(%b)" % _NAME
_HAS_BACKSLASHES = rb"(?im)^(?:--|/\*)[^\n]{0,40}(?:mysql|mariadb)|^(?:INSERT|REPLACE) (?:IGNORE )?INTO `"
"""What shows that a dump has escapes in all its strings."""
_STRING = rb"'[^']*+(?:''[^']*+)*+'"
_STRING_WITH_ESCAPES = rb"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'"
_TOKEN = (
    rb"(?s)(?P<escaped>(?<!\w)[eE]%b)|(?P<string>%b)"
    rb"|(?P<mark>[(),;])|--[^\n]*+|\"[^\"]*+\"|`[^`]*+`|[^'\"`(),;eE-]++|."
)
_ESCAPES = {
    b"''": b"'", b"\\'": b"'", b'\\"': b'\\"', b"\\\\": b"\\\\", b"\\0": b"\\u0000", b"\\Z": b"\\u001a",
    b"\\v": b"\\u000b", b"\\u0009": b"\\t", b"\\u000a": b"\\n", b"\\u000d": b"\\r",
}  # fmt: skip
"""Escapes that JSON writes in another way, and those that begin with what it escapes."""
_DOUBLED = Quoting(rb"''|[\"\\\x00-\x1f]", _ESCAPES)
_ESCAPED = Quoting(rb"\\[bfnrtZ0'\"\\]|''|[\"\\\x00-\x1f]", _ESCAPES)
_COPIED = Quoting(rb"\\[bfnrtv\\]|[\"\\\x00-\x1f]", _ESCAPES)
_UNISTR = Quoting(rb"\\u[0-9a-fA-F]{4}|\\\\|''|[\"\x00-\x1f]", _ESCAPES)
_REPLACED = rb"'(\(?\\[^']*)',\s*char\((10|13)\)"

_SHORTEST = len('{"error":{}}')
"""The length of the shortest body. Many tables have columns of empty objects."""
_NULLS = (b"NULL", b"\\N")
_AROUND_NAMES = b' \t\r\n"`[]'

_Value: TypeAlias = tuple[int, int, "re.Match[bytes] | None"]
"""Where a value of a list begins and ends, and the first string in it."""


def rows_of(capture: Capture) -> Iterator[Text]:
    """Yield each row with a cell that begins as a body does, as a JSON object. Raises :class:`TooLarge`."""
    quoting, string = _DOUBLED, _STRING
    if re.search(_HAS_BACKSLASHES, capture.start):
        quoting, string = _ESCAPED, _STRING_WITH_ESCAPES
    tokens = re.compile(_TOKEN % (_STRING_WITH_ESCAPES, string))
    columns: dict[bytes, list[str]] = {}
    lines = capture.lines()
    for line in lines:
        if copy := re.match(_COPY, line.data):
            names = _names(copy["names"].split(b","))
            for row in takewhile(lambda row: row.data.rstrip() != b"\\.", lines):
                yield from _as_json(row, names, _copied(row.data))
        elif re.match(_STATEMENT, line.data):
            statement = _statement(line, lines, quoting)
            data = statement.data
            if created := re.match(_CREATE, data):
                definitions = next(_lists(data, created.end(), tokens), [])
                found = (re.match(_COLUMN, data[start:end]) for start, end, _ in definitions)
                columns[created["table"].strip(_AROUND_NAMES)] = _names(one[1] for one in found if one)
            elif inserted := re.match(_INSERT, data):
                names = columns.get(inserted["table"].strip(_AROUND_NAMES), [])
                if inserted["names"]:
                    names = _names(inserted["names"].split(b","))
                for values in _lists(data, inserted.end(), tokens):
                    yield from _as_json(statement, names, [_cell(data, value, quoting) for value in values])


def _names(names: Iterable[bytes]) -> list[str]:
    return [name.strip(_AROUND_NAMES).decode("utf-8", "replace") for name in names]


def _as_json(text: Text, names: list[str], cells: list[tuple[Cell, Quoting]]) -> Iterator[Text]:
    """Yield the row if it may hold bodies. A column whose name is not known has a number."""
    data = text.data
    if any(end - start >= _SHORTEST and begins_as_body(data, start, end) for (start, end), _ in cells):
        all_names = chain(names, (f"column {number}" for number in count(len(names) + 1)))
        named = zip(all_names, cells, strict=False)
        yield row_as_json(text, ((name, *one) for name, one in named if data[slice(*one[0])] not in _NULLS))


def _copied(data: bytes) -> list[tuple[Cell, Quoting]]:
    """Return the cells of a line behind ``COPY``."""
    return [(cell.span(), _COPIED) for cell in re.finditer(rb"(?<![^\t])[^\t\r]*", data)]


def _statement(first: Text, lines: Iterator[Text], quoting: Quoting) -> Text:
    """Return the statement that begins on a line. It ends on a line with ``;`` at its end, outside of strings.

    Definitions of tables may have quotation marks in remarks.
    """
    parts, last, size, marks = [], first.line, 0, 0
    for line in chain([first], lines):
        parts.append(b"\n" * (line.line - last) + line.data)
        last, size = line.line, size + len(line.data)
        if size > LARGEST_DOCUMENT:
            raise TooLarge(f"the statement on line {first.line} is larger than {LARGEST_DOCUMENT >> 20} MiB")
        marks += (line.data if quoting is _DOUBLED else re.sub(rb"\\.", b"", line.data)).count(b"'")
        if line.data.rstrip().endswith(b";") and (marks % 2 == 0 or re.match(_CREATE, first.data)):
            break
    return Text(b"".join(parts), first.line)


def _lists(data: bytes, start: int, tokens: re.Pattern[bytes]) -> Iterator[list[_Value]]:
    """Yield the values of each list in parentheses, up to the end of the statement."""
    depth, values, value_start = 0, [], start
    string: re.Match[bytes] | None = None
    for token in tokens.finditer(data, start):
        mark = token["mark"]
        if mark is None:
            if string is None and (token["string"] or token["escaped"]):
                string = token
            continue
        if depth == 1 and mark in b",)":
            values.append((value_start, token.start(), string))
        depth += {b"(": 1, b")": -1}.get(mark, 0)
        if depth == 0 and mark == b")":
            yield values
            values = []
        elif depth == 0 and mark == b";":
            return
        if depth == 1 and (mark == b"," or (mark == b"(" and not values)):
            value_start, string = token.end(), None


def _cell(data: bytes, value: _Value, quoting: Quoting) -> tuple[Cell, Quoting]:
    """Return the string in a value, or the value if it has none."""
    start, end, string = value
    if string is None:
        start = end - len(data[start:end].lstrip())
        return (start, start + len(data[start:end].rstrip())), AS_IS
    function = data[start : string.start()].strip().lower()
    if string["escaped"]:
        quoting = _ESCAPED
    elif function.endswith(b"replace("):
        quoting = _replaced(data[string.end() : end])
    elif function == b"unistr(":
        quoting = _UNISTR
    return (data.index(b"'", string.start()) + 1, string.end() - 1), quoting


@lru_cache(64)
def _replaced(functions: bytes) -> Quoting:
    """Return how a string is written in which SQLite replaces line ends, by what stands behind it."""
    line_ends = {mark: b"\\n" if code == b"10" else b"\\r" for mark, code in re.findall(_REPLACED, functions)}
    return Quoting(b"|".join([*map(re.escape, line_ends), _DOUBLED.specials]), {**_ESCAPES, **line_ends})
