"""Find the array in which a JSON document keeps the records of a log, to read them like lines of JSON Lines.

Logs are kept so by ``jq -s``, and by what exports them: ``gcloud logging read --format json``, ``aws logs
filter-log-events`` (``events``), a search in Elasticsearch (``hits.hits``). It is a log if one of its first records
holds a request alone, or the text of a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.structures.pairs import is_pair
from isogloss.validator.captures.structures.values import exchanges
from isogloss.validator.captures.texts.logged_lines import logged_in
from isogloss.validator.captures.texts.split_pairs import unread_half
from isogloss.validator.decode import Decoded
from isogloss.validator.exchange import Exchange
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["log_in"]

_MOST_INSPECTED = 40
"""How many records that may hold traffic are inspected."""
_DEEPEST = 2
"""In so many objects, one in the other, the array may stand."""


def log_in(capture: Capture, document: Document) -> list[Text]:
    """Return the records of the log that a document is, each as a text, or nothing if it is none."""
    is_sound = document.sound or [fault.rule for fault in document.scan.faults] == ["json-byte-order-mark"]
    may_be_log = is_sound and capture.kind is None and capture.mapping is None
    if not may_be_log or (b"messages" not in document.text.data and b"choices" not in document.text.data):
        return []
    array = _array_in(document.root)
    if array is None or not all(isinstance(record, dict) for record in array.value) or not _is_log(capture, array):
        return []
    return list(_records_of(array))


def _array_in(part: Node) -> Node | None:
    """Return the array that a value is, or the only one with several objects in it, or ``None``."""
    for _ in range(_DEEPEST):
        if not isinstance(part.value, dict) or is_pair(part.value) or kind_of(part.value) is not None:
            break
        inner = [name for name, value in part.value.items() if _may_lead_to_log(value)]
        if len(inner) != 1:
            return None
        part = part.get(inner[0])
    return part if isinstance(part.value, list) and _may_lead_to_log(part.value) else None


def _may_lead_to_log(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) > 1 and isinstance(value[0], dict)
    return isinstance(value, dict) and any(isinstance(inner, list) for inner in value.values())


def _is_log(capture: Capture, array: Node) -> bool:
    """Return whether one of the first records holds a request alone or a line, and none before it a whole exchange."""
    records = zip(array.value, _records_of(array), strict=True)
    with_traffic = (one for one in records if b"messages" in one[1].data or b"choices" in one[1].data)
    for value, text in islice(with_traffic, _MOST_INSPECTED):
        if (kind := kind_of(value)) is not None:
            if kind == "request":
                return True
            continue
        record = Document(text, Decoded(value, True)).root
        read = (one for one in exchanges(capture, 0, record) if isinstance(one, Exchange))
        found = next(read, None) or unread_half(capture, text, value, sound=True)
        if found is not None and found.request is not None:
            return found.response is None
        if found is None and logged_in(capture, text, value, sound=True):
            return True
    return False


def _records_of(array: Node) -> Iterator[Text]:
    """Yield the text of each object in an array of objects."""
    from isogloss.validator.jsontext import Walk  # few documents are logs

    whole = array.document.text
    walk = Walk(whole.data)
    return (whole.slice(*walk.span((*array.at, position))) for position in range(len(array.value)))
