"""Find the ids on a line of a log. A request and an answer with the same id belong together.

An id is the value of a property of the record on the line whose name says so (``request_id``, ``trace_id``). In the
text before or behind a payload, it is what stands behind such a name (``request_id=7f3a``), or what looks like an id:
a UUID, the hexadecimal id of a trace, ``req_7f3a``, or a long word with digits in a column of its own, as one-api and
New API write it (``| 20260908122110142W7UEpdcb |``). An answer also has its own ``id``, which some servers write when
they log the request.
"""

from __future__ import annotations

import re
from typing import Any

from isogloss.validator.captures.names import by_names, normalised_name
from isogloss.validator.kinds import kind_of

__all__ = ["Ids", "ids_in_record", "ids_in_text"]

Ids = dict[str, str]
"""Each id of a line with the normalised name that it has there, or an empty string if it has none."""

_OF_REQUESTS = frozenset({
    "requestid", "reqid", "xrequestid", "rid", "correlationid", "xcorrelationid", "traceid", "callid", "transactionid",
    "completionid", "generationid", "exchangeid", "llmrequestid", "llmcallid", "invocationid", "correlation", "trace",
})  # fmt: skip
"""Normalised names of ids that belong to one request, or to what it is a part of."""
_LEAST_UNNAMED = 8
"""The length of an id under any other name that ends with ``id``: shorter ones are numbers of something."""
_NAMED = rb"(?i)\b([a-z][a-z_-]{0,20}id)[\"']?\s{0,3}[=:]\s{0,3}[\"']?([0-9A-Za-z][\w.:-]{0,79})"
_SHAPED = rb"""(?xi) (?<![\w-])(?:
      [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}                                     # a UUID
    | [0-9a-f]{32} | [0-9a-f]{16}                                                     # a trace, a span
    | (?:req|request|log|trace|call|chatcmpl|corr)[-_] (?=[a-z_-]{0,40}\d) [\w-]{3,79}
    | (?<=\|[ ]) (?=[a-z]{0,40}\d) [0-9a-z]{16,64} (?=[ ]\|)                          # a column
    )(?![\w-])"""
_LONGEST_LABEL = 400


def ids_in_record(record: Any) -> Ids:
    """Return the ids of a record: those of the object itself, and of objects in it that are no payloads."""
    found: Ids = {}
    if isinstance(record, dict):
        inner = (value for value in record.values() if isinstance(value, dict) and kind_of(value) is None)
        for holder in (record, *inner):
            for name in _names_of_ids(tuple(holder)):
                _add(found, name, holder[name])
    return found


@by_names
def _names_of_ids(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those names that ids may have, in order."""
    return tuple(name for name in names if _is_of_id(normalised_name(name)))


def _is_of_id(normalised: str) -> bool:
    return normalised in _OF_REQUESTS or normalised.endswith("id")


def ids_in_text(line: bytes) -> Ids:
    """Return the ids in the text of a line, before the first object on it and behind the last one."""
    start, end = line.find(b"{"), line.rfind(b"}")
    label = line[: start if start >= 0 else len(line)][-_LONGEST_LABEL:]
    if end > start >= 0:
        label += b" " + line[end + 1 :][:_LONGEST_LABEL]
    found: Ids = {match[0].decode(): "" for match in re.finditer(_SHAPED, label)}
    for name, value in re.findall(_NAMED, label):
        _add(found, name.decode(), value.decode("utf-8", "replace"))
    return found


def _add(found: Ids, name: str, value: object) -> None:
    if not isinstance(value, str | int) or isinstance(value, bool):
        return
    normalised, text = normalised_name(name), str(value)
    if normalised in _OF_REQUESTS and text:
        found[text if len(text) >= _LEAST_UNNAMED else f"{normalised}={text}"] = normalised
    elif normalised.endswith("id") and isinstance(value, str) and len(value) >= _LEAST_UNNAMED:
        found.setdefault(value, "")
