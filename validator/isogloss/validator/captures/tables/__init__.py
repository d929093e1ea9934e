"""Tables of exchanges, one a row: Parquet files, Arrow files and batches in memory. Only these modules load pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from isogloss.validator.captures.capture import Capture, Unreadable

if TYPE_CHECKING:
    from isogloss.validator.captures.tables.files import Table

__all__ = ["form_of", "table_of"]

_PARQUET = b"PAR1"
_FILE = b"ARROW1\0\0"
_STREAM = b"\xff\xff\xff\xff"
_SCHEMA_AT_MOST = 1 << 24


def form_of(capture: Capture) -> Literal["parquet", "file", "stream"] | None:
    """Return the form that a capture begins like: Parquet, or a file or stream of Arrow; ``None`` for anything else.

    Sources: https://parquet.apache.org/docs/file-format/ and https://arrow.apache.org/docs/format/Columnar.html.
    """
    head = capture.head
    if head.startswith(_PARQUET):
        return "parquet"
    if head.startswith(_FILE):
        return "file"
    return "stream" if head.startswith(_STREAM) and 0 < int.from_bytes(head[4:8], "little") < _SCHEMA_AT_MOST else None


def table_of(capture: Capture) -> Table:
    """Open the table that a capture holds. Raises :class:`Unreadable` if it is none, or if pyarrow is not installed."""
    form = form_of(capture)
    if form is None:
        raise Unreadable("neither Parquet nor Arrow")
    try:
        from isogloss.validator.captures.tables.files import Table
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise Unreadable("reading Parquet and Arrow needs pyarrow: pip install 'isogloss[arrow]'") from error
    return Table(capture, form)
