"""Find the array in which a JSON document keeps the records of a log, to read them like lines of JSON Lines.

Logs are kept so by ``jq -s``, and by what exports them: ``gcloud logging read --format json``, ``aws logs
filter-log-events`` (``events``), a search in Elasticsearch (``hits.hits``). It is a log if one of its first records
holds a request alone, or the text of a line.

``aws logs get-query-results`` has each record as a list of its fields: ``{"field": "@message", "value": …}``
(API_ResultField of docs.aws.amazon.com, read 2026-11). Such records are always those of a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from isogloss.validator import jsontext
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.structures.objects.http_pairs import is_pair
from isogloss.validator.captures.structures.values import exchanges
from isogloss.validator.captures.texts.logged_lines import is_plain_line, logged_in
from isogloss.validator.captures.texts.split_pairs import unread_half
from isogloss.validator.decode import Decoded
from isogloss.validator.exchange import Exchange
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["log_in"]

_MOST_INSPECTED = 40
"""How many records that may hold traffic are inspected."""
_STRING = rb'"(?:[^"\\]|\\.)*+"'
_OF_ATTRIBUTE = {"key", "type", "value"}
"""What an attribute of a span may have, where these are a list: this list is no log."""
_DEEPEST = 2
"""In so many objects, one in the other, the array may stand."""


def log_in(capture: Capture, document: Document) -> list[Text]:
    """Return the records of the log that a document is, each as a text, or nothing if it is none."""
    is_sound = document.sound or [fault.rule for fault in document.scan.faults] == ["json-byte-order-mark"]
    may_be_log = is_sound and capture.kind is None and capture.mapping is None
    if not may_be_log or (b"messages" not in document.text.data and b"choices" not in document.text.data):
        return []
    if b'"field"' in document.text.data and (rows := _rows_in(document.root)) is not None:
        return list(_records_of_rows(rows))
    array = _array_in(document.root)
    if array is None or not all(isinstance(record, dict) for record in array.value) or not _is_log(capture, array):
        return []
    return list(_records_of(array))


def _array_in(part: Node) -> Node | None:
    """Return the array that a value is, or the only one with several objects in it, or ``None``."""
    for _ in range(_DEEPEST):
        if not isinstance(part.value, dict) or is_pair(part.value) or kind_of(part.value) is not None:
            break
        inner = [name for name, value in part.value.items() if _may_lead_to_log(value) and not _is_attributes(value)]
        if len(inner) != 1:
            return None
        part = part.get(inner[0])
    return part if isinstance(part.value, list) and _may_lead_to_log(part.value) else None


def _may_lead_to_log(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) > 1 and isinstance(value[0], dict)
    return isinstance(value, dict) and any(isinstance(inner, list) for inner in value.values())


def _is_attributes(value: Any) -> bool:
    return isinstance(value, list) and value[0].keys() <= _OF_ATTRIBUTE


def _rows_in(part: Node) -> Node | None:
    """Return the array of records as lists of fields that an object has as its ``results``, or ``None``."""
    part = part.get("results")
    rows = part.value
    return part if isinstance(rows, list) and rows and all(map(_is_row, rows)) else None


def _is_row(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(field, dict)
        and field.keys() == {"field", "value"}
        and all(isinstance(one, str) for one in field.values())
        for field in value
    )


def _records_of_rows(rows: Node) -> Iterator[Text]:
    """Yield each record that is written as a list of its fields as the text of an object."""
    whole = rows.document.text
    walk, string = jsontext.Walk(whole.data), re.compile(_STRING)
    for row, fields in enumerate(rows.value):
        written, segments = bytearray(b"{"), [(0, walk.span((*rows.at, row))[0])]
        for number in range(len(fields)):
            for name, behind in (("field", b":"), ("value", b",")):
                start = walk.find((*rows.at, row, number, name))[1]
                segments.append((len(written), start))
                if found := string.match(whole.data, start):
                    written += found[0] + behind
        yield Text.derived(bytes(written).removesuffix(b",") + b"}", whole, segments)


def _is_log(capture: Capture, array: Node) -> bool:
    """Return whether one of the first records holds a request alone or a line, and none before it a whole exchange.

    A line without a payload counts, too, if there is no request.
    """
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
    return any(map(is_plain_line, array.value[:_MOST_INSPECTED]))


def _records_of(array: Node) -> Iterator[Text]:
    """Yield the text of each object in an array of objects."""
    whole = array.document.text
    walk = jsontext.Walk(whole.data)
    return (whole.slice(*walk.span((*array.at, position))) for position in range(len(array.value)))
