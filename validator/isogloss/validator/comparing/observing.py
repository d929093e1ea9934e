"""Read from an answer everything that another version of the same server should show, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from isogloss.validator import rules
from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.excerpts import ENUMERATIONS
from isogloss.validator.exchange import Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer, generic
from isogloss.validator.quoting import printable, quote_value, type_with_article
from isogloss.validator.secrets import mask_text
from isogloss.validator.streams.trace import Trace

__all__ = ["MARKS", "AnswerFact", "AnswerFeatures", "features_of"]

MARKS = ("role", "text", "finish_reason", "usage", "[DONE]")
"""The parts of a stream whose order clients rely on. ``text`` is everything that a delta holds except the role."""

_GROUPS_OF_PARTS = frozenset({"json", "wire", "stream"})
_GROUPS = _GROUPS_OF_PARTS | {"completion", "pair"}
"""Groups of rules whose findings count as faults. Findings of the schema do not count: properties, types and values are
compared directly. Of an incomplete stream, only findings of ``_GROUPS_OF_PARTS`` count."""
_DEEPEST = 8
_MOST_ITEMS = 64
_LONGEST_WORD = 60


class AnswerFact(NamedTuple):
    """A rule that is broken at a path, or a word that is the value at a path."""

    path: str
    what: str


class AnswerFeatures(NamedTuple):
    """What one answer shows.

    ``kind`` is ``completion``, ``stream`` for the completion that a stream folds into, ``error``, or ``other`` if there
    is no payload to compare. ``is_whole`` says whether its content was read. ``types`` holds the JSON types at each
    path, and ``at`` the pointer of the first value at each path. ``words`` holds the values that are words of the
    protocol. ``faults`` holds the severity of each fault.
    ``order`` holds, for each of ``MARKS``, the number of the first event that has it. ``protocol`` holds what the
    transport shows, by name.
    """

    kind: str
    is_whole: bool
    types: dict[str, set[str]]
    at: dict[str, Pointer]
    words: set[AnswerFact]
    faults: dict[AnswerFact, Severity]
    order: dict[str, int]
    protocol: dict[str, str]


def features_of(compared: ComparedAnswer) -> AnswerFeatures:
    """Return what one answer shows.

    The content of an incomplete stream is not read, since the rest of it is missing: only what is wrong with the stream
    itself counts. A stream that the client left shows nothing.
    """
    body, completion = compared.exchange.response, compared.answer.completion
    value: Any = None
    kind = "other"
    if isinstance(body, Payload):
        kind, value = body.kind, body.value
    elif isinstance(body, Stream) and not compared.exchange.http.left:
        kind, value = "stream", None if completion is None else completion.value
    found = AnswerFeatures(kind, value is not None, {}, {}, set(), {}, {}, {})
    if found.is_whole:
        _add_values(found, value, (), _DEEPEST)
    groups = _GROUPS if found.is_whole else _GROUPS_OF_PARTS
    for hit in compared.examined.hits:
        if rules.group_of(hit.rule) in groups and hit.part != "request":
            found.faults.setdefault(AnswerFact(generic(hit.hit.pointer), hit.rule), hit.severity)
    if isinstance(body, Stream):
        found.order.update(_order(Trace(body)))
    found.protocol.update(_protocol(compared, found))
    return found


def _add_values(found: AnswerFeatures, value: Any, pointer: Pointer, depth: int) -> None:
    path = generic(pointer)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    found.types.setdefault(path, set()).add("a number" if is_number else type_with_article(value))
    found.at.setdefault(path, pointer)
    if isinstance(value, str) and pointer and pointer[-1] in ENUMERATIONS and len(value) <= _LONGEST_WORD:
        found.words.add(AnswerFact(path, quote_value(value)))
    if depth and isinstance(value, dict):
        for name, part in value.items():
            _add_values(found, part, (*pointer, name), depth - 1)
    elif depth and isinstance(value, list):
        for position, part in enumerate(value[:_MOST_ITEMS]):
            _add_values(found, part, (*pointer, position), depth - 1)


def _order(trace: Trace) -> dict[str, int]:
    first_events: dict[str, int] = {}
    for choice in trace.choices.values():
        for delta in choice.deltas:
            for name, value in delta.delta.items():
                if value or name == "role":
                    first_events.setdefault("role" if name == "role" else "text", delta.event)
            if delta.choice.get("finish_reason"):
                first_events.setdefault("finish_reason", delta.event)
    if trace.usages:
        first_events["usage"] = trace.usages[-1].event
    if trace.done:
        first_events["[DONE]"] = trace.done[0]
    return first_events


def _protocol(compared: ComparedAnswer, found: AnswerFeatures) -> Iterator[tuple[str, str]]:
    http = compared.exchange.http
    form = _FORM_NAMES.get("stream" if compared.answer.streamed else found.kind, "neither JSON nor a stream")
    yield "form", form
    if http.status is not None:
        yield "answer", f"{form} with status {http.status}"
    if http.content_type is not None:
        media_type = http.content_type.partition(";")[0].strip().lower()
        yield "content type", printable(mask_text(media_type))[:_LONGEST_WORD]
    body = compared.exchange.response
    if isinstance(body, Stream) and found.is_whole and (body.framing is not None or "[DONE]" in found.order):
        yield "[DONE]", "sent" if "[DONE]" in found.order else "not sent"


_FORM_NAMES = {"stream": "a stream", "completion": "a completion", "error": "an error"}
