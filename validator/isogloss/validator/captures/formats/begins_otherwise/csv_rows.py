"""Read CSV: exports of logs and of tables, with an exchange in each row. The first row names the columns.

Each row becomes a JSON object of strings, and is read as an object on a line of JSON Lines is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from isogloss.validator.captures.bodies.encoded import bodies_in_base64
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "csv"

_PAYLOAD = rb'"(?:choices|messages)\\*"'
_NO_BODY = Why("a row without a body of JSON or of events", Cause.OTHER)


def recognise(capture: Capture) -> int:
    """Recognise a row of names, a row with as many cells, and a cell that begins as a body does.

    The capture must also have a property of a payload, perhaps in Base64.
    """
    bodies = chain([capture.head], (body.data for body in bodies_in_base64(Text(capture.head))))
    if not any(re.search(_PAYLOAD, body) for body in bodies):
        return 0
    from isogloss.validator.captures.rows import csv_cells

    style = csv_cells.style_of(capture)
    return 50 if style is not None and csv_cells.may_hold_bodies(capture, style) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of each row, or a :class:`Skipped` for the row. Only some rows at a time are in memory."""
    from isogloss.validator.captures.rows.csv_cells import json_of, rows_of, style_of
    from isogloss.validator.captures.rows.row import begins_as_body, exchanges_of_row

    style = style_of(capture)
    if style is None:
        raise Unreadable("not CSV: there is no row of names with a row of as many cells below it")
    rows = rows_of(capture, style)
    header, cells = next(rows)
    names = [header.data[start:end].decode("utf-8", "replace") for start, end in cells]
    number = 0
    for row, cells in rows:
        has_body = any(begins_as_body(row.data, *cell) for cell in cells)
        if has_body and len(cells) <= len(names):
            for found in exchanges_of_row(capture, number, json_of(row, style, names, cells)):
                yield found
                number += found.parts
            continue
        why = _NO_BODY
        if has_body:
            why = Why(f"line {row.place(cells[0][0]).line}: {len(cells)} cells, and only {len(names)} columns")
        yield Skipped(file=capture.name, number=number, why=why)
        number += 1
