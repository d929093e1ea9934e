"""Read session records of the test proxy of OpenAI's and Azure's libraries: ``Entries`` with ``RequestUri`` etc."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import only_document
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "session-records"
WORDS = (b'"Entries"',)


def recognise(capture: Capture) -> int:
    """Recognise an object whose first property is ``Entries``."""
    return 95 if capture.first_property == (b"Entries", b"[") else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the entries of the session."""
    from isogloss.validator.captures.structures.pairs import exchanges_of_list

    document = only_document(capture)
    yield from exchanges_of_list(capture, document.root.get("Entries"))
    yield from document.damage(capture.name)
