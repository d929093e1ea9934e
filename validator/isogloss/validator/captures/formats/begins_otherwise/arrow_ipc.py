"""Read Arrow files and streams (IPC, Feather): one exchange in each row, in columns named by the user or guessed."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.tables import open_table, table_format
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "arrow"
_SURENESS = {"file": 100, "stream": 90}


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like a file or a stream of Arrow."""
    return _SURENESS.get(table_format(capture) or "", 0)


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, batch by batch."""
    yield from open_table(capture).exchanges(capture.name)
