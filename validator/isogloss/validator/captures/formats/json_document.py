"""Read a JSON file: one payload, exchange record or HTTP pair, or several of them in an array or object.

Chunks in an array are one stream. A file may hold several indented documents, one after another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document
from isogloss.validator.captures.records import answer_alone, exchanges
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["BEGINS_AS_JSON", "NAME", "read", "recognise"]

NAME = "json"
BEGINS_AS_JSON = True

_END_OF_INDENTED = rb"(?m)^[}\]][ \t]*\r?\n(?=[{\[])"
"""The last line of an indented document that another one follows."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like a JSON object or array."""
    return 50 if capture.begins_as_json else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the document.

    If the document is damaged and none of its payloads shows that, also yield a :class:`Skipped` that says so.
    """
    text, (value, sound) = capture.text, capture.document
    if not sound and (documents := _documents_one_after_another(text)):
        yield from _exchanges_of_all(capture, documents)
        return
    answer = answer_alone(capture, 0, text, capture.kind or kind_of(value), value, sound)
    if answer is not None:
        yield answer
        return
    document = Document(text, capture.document)
    has_exchanges = is_damage_shown = False
    for found in exchanges(capture, 0, document.part(document.value), capture.kind):
        yield found
        has_exchanges = has_exchanges or isinstance(found, Exchange)
        is_damage_shown = is_damage_shown or (isinstance(found, Exchange) and _has_payload_of(found, document))
    if has_exchanges and not is_damage_shown and (damage := document.damage(capture.name)):
        yield damage


def _documents_one_after_another(text: Text) -> list[Document]:
    """Return the documents of a text that holds several indented ones, as ``jq`` writes them, and none for another."""
    ends = [match.end() for match in re.finditer(_END_OF_INDENTED, text.data)]
    if not ends:
        return []
    documents = [Document(text.slice(start, end)) for start, end in pairwise([0, *ends, len(text.data)])]
    return documents if all(document.sound for document in documents) else []


def _exchanges_of_all(capture: Capture, documents: Iterable[Document]) -> Iterator[Exchange | Skipped]:
    number = 0
    for document in documents:
        for found in exchanges(capture, number, document.part(document.value), capture.kind):
            yield found
            number += found.parts if isinstance(found, Skipped) else 1


def _has_payload_of(exchange: Exchange, document: Document) -> bool:
    """Return whether a payload of the exchange is a part of the document, so that its faults are findings."""
    payloads = (exchange.request, exchange.response)
    return any(payload is not None and payload.text is document.text for payload in payloads)
