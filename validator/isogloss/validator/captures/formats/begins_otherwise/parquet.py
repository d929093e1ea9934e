"""Read Parquet files: one exchange in each row, in columns that the user names or that are guessed."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.tables import open_table, table_format
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "parquet"


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like a Parquet file."""
    return 100 if table_format(capture) == "parquet" else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, row group by row group, a few thousand rows at a time."""
    yield from open_table(capture).exchanges(capture.name)
