"""Read dumps of SQL databases: tables of requests and answers, as gateways and programs keep them.

Each row that may hold bodies becomes a JSON object of strings, and is read like a row of CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why

__all__ = ["NAME", "read", "recognise"]

NAME = "sql"

_FIRST = rb"(?i)--(?!-)|/\*|(?:PRAGMA|BEGIN|START|SET|CREATE|DROP|INSERT|REPLACE|COPY)\b"
_ROWS = rb"(?im)^(?:COPY [^\n]{1,4000} FROM stdin;|CREATE (?:\w+ )?TABLE |(?:INSERT|REPLACE) (?:\w+ ){0,2}INTO )"
_NO_TRAFFIC = Why("rows of SQL without an answer of Chat Completions", Cause.NOTHING)


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins with a remark or a statement of SQL, and has statements with rows or tables."""
    return 60 if re.match(_FIRST, capture.start) and re.search(_ROWS, capture.start) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the rows, in order, and rows of other traffic. All other rows are not reported."""
    from isogloss.validator.captures.rows import row, sql_rows

    number = 0
    for cells in sql_rows.rows_of(capture):
        for found in row.exchanges_of_row(capture, number, cells):
            if isinstance(found, Exchange) or found.why.cause is not Cause.NOTHING:
                yield found
                number += found.parts
    if not number:
        yield Skipped(file=capture.name, why=_NO_TRAFFIC)
