"""Write exchanges as dumps of SQL databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recorded import Recorded

_COLUMNS = ("id", "path", "request", "response", "status", "content_type")
_ESCAPED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _rows(exchanges: list[Recorded]) -> Iterator[tuple[str | int | None, ...]]:
    for number, one in enumerate(exchanges):
        yield number, one.url, one.request, one.response, one.status, one.content_type


def write_pg_dump(exchanges: list[Recorded]) -> bytes:
    """Write like ``pg_dump``: rows are lines with tabs."""
    lines = ("\t".join(map(_copied, row)) for row in _rows(exchanges))
    head = "--\n-- PostgreSQL database dump\n--\n\nSET standard_conforming_strings = on;\n\n"
    copy = f'COPY public."Calls" ({", ".join(_COLUMNS)}) FROM stdin;\n'
    return "".join([head, copy, *(f"{line}\n" for line in lines), "\\.\n\n"]).encode()


def _copied(cell: str | int | None) -> str:
    return r"\N" if cell is None else str(cell).translate(str.maketrans(_ESCAPED))


def doubled(text: str) -> str:
    """Return a string of standard SQL."""
    return "'" + text.replace("'", "''") + "'"


def with_backslashes(text: str) -> str:
    """Return a string of MySQL."""
    return "'" + text.translate(str.maketrans(_ESCAPED | {"'": "\\'", '"': '\\"'})) + "'"


def sqlite_string(text: str) -> str:
    """Return a string as the shell of SQLite writes it."""
    written = doubled(text)
    for character, mark, other in (("\r", "\\r", "\\015"), ("\n", "\\n", "\\012")):
        if character in text:
            mark = other if mark in text else mark
            written = f"replace({written.replace(character, mark)},'{mark}',char({ord(character)}))"
    return written


def write_inserts(
    exchanges: list[Recorded], string: Callable[[str], str] = doubled, table: str = "calls", *, named: bool = False
) -> bytes:
    """Write a table of SQL and its rows. ``named`` says that ``INSERT`` names the columns, and has all rows."""
    columns = ", ".join(_COLUMNS)
    rows = [
        ", ".join("NULL" if cell is None else str(cell) if isinstance(cell, int) else string(cell) for cell in row)
        for row in _rows(exchanges)
    ]
    if named:
        values = ",\n".join(f"({row})" for row in rows)
        return f"-- MySQL dump 10.13\nINSERT INTO {table} ({columns}) VALUES\n{values};\n".encode()
    definitions = "".join(f"  [{name}] TEXT, -- it's text (of a call)\n" for name in _COLUMNS)
    inserts = "".join(f"INSERT INTO {table} VALUES({row});\n" for row in rows)
    return f"BEGIN TRANSACTION;\nCREATE TABLE {table} (\n{definitions}  UNIQUE (id)\n);\n{inserts}COMMIT;\n".encode()
