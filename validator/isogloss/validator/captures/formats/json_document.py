"""A JSON file: one payload, exchange record or HTTP pair, or several in an array or object. Chunks are a stream."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.records import answer_alone, exchanges
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import kind_of

__all__ = ["NAME", "read", "recognise"]

NAME = "json"


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like a JSON object or array."""
    return 50 if capture.begins_as_json else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the document.

    If the document is damaged and none of its payloads shows that, also yield a :class:`Skipped` that says so.
    """
    text, (value, sound) = capture.text, capture.document
    answer = answer_alone(capture, 0, text, capture.kind or kind_of(value), value, sound=sound)
    if answer is not None:
        yield answer
        return
    document = Document(text, capture.document)
    some = shown = False
    for found in exchanges(capture, 0, document.part(document.value), capture.kind):
        yield found
        some = some or isinstance(found, Exchange)
        shown = shown or (isinstance(found, Exchange) and _of_document(found, document))
    if some and not shown and (damage := document.damage(capture.name)):
        yield damage


def _of_document(exchange: Exchange, document: Document) -> bool:
    """Return whether a payload of the exchange is a part of the document, so that its faults are findings."""
    payloads = (exchange.request, exchange.response and exchange.response.body)
    return any(one is not None and one.text is document.text for one in payloads)
