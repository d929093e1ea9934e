"""Read tables with one exchange in each row: Parquet files, Arrow files and batches in memory.

Only these modules load pyarrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import Unreadable

if TYPE_CHECKING:
    from isogloss.validator.captures.tables.files import RowTable

__all__ = ["open_table", "table_format"]

_PARQUET = b"PAR1"
_ARROW_FILE = b"ARROW1\0\0"
_ARROW_STREAM = b"\xff\xff\xff\xff"
_LARGEST_SCHEMA = 1 << 24


def table_format(capture: Capture) -> Literal["parquet", "file", "stream"] | None:
    """Return the form that a capture begins like: Parquet, or a file or stream of Arrow; ``None`` for anything else.

    Sources: https://parquet.apache.org/docs/file-format/ and https://arrow.apache.org/docs/format/Columnar.html.
    """
    head = capture.head
    if head.startswith(_PARQUET):
        return "parquet"
    if head.startswith(_ARROW_FILE):
        return "file"
    is_stream = head.startswith(_ARROW_STREAM) and 0 < int.from_bytes(head[4:8], "little") < _LARGEST_SCHEMA
    return "stream" if is_stream else None


def open_table(capture: Capture) -> RowTable:
    """Open the table that a capture holds. Raises :class:`Unreadable` if it is none, or if pyarrow is not installed."""
    form = table_format(capture)
    if form is None:
        raise Unreadable("neither Parquet nor Arrow")
    try:
        from isogloss.validator.captures.tables.files import RowTable
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise Unreadable("reading Parquet and Arrow needs pyarrow: pip install 'isogloss[arrow]'") from error
    return RowTable(capture, form)
