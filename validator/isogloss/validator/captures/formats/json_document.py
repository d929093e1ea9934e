"""A JSON file: one payload, one exchange record, or an array of either. An array of chunks is a stream."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, looks_like_json
from isogloss.validator.captures.records import exchanges
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "json"


def recognise(capture: Capture) -> int:
    """Whether it begins like a JSON object or array."""
    return 50 if looks_like_json(capture) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The exchanges of the document."""
    document = Document(capture.text, capture.document)
    yield from exchanges(capture, 0, document.part(document.value), capture.kind)
