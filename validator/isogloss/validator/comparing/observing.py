"""What an answer shows that another version of the same server should show, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from isogloss.validator import rules
from isogloss.validator.comparing.answers import Compared
from isogloss.validator.examining.placing import Part
from isogloss.validator.exchange import Payload, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer, generic
from isogloss.validator.quoting import article, printable, shown
from isogloss.validator.secrets import masked
from isogloss.validator.streams.trace import Trace

__all__ = ["MARKS", "Fact", "Observed", "observed"]

MARKS = ("role", "text", "finish_reason", "usage", "[DONE]")
"""What a stream sends in an order that clients rely on; text is whatever a delta holds but the role."""

_ENUMERATED = frozenset({"finish_reason", "object", "role", "service_tier", "type"})
"""Names of properties whose values are words of the protocol."""
_GROUPS = frozenset({"wire", "stream", "completion", "pair"})
"""Groups of rules whose findings count as faults; what those of the schema find are properties, types and values."""
_DEEPEST = 8
_MOST_ITEMS = 64
_LONGEST_TYPE = 60


class Fact(NamedTuple):
    """A rule that is broken at a path, or a word that stands at one."""

    path: str
    what: str


class Observed(NamedTuple):
    """One answer.

    ``kind`` is ``completion``, ``stream`` for what a stream folds into, ``error``, or ``other`` if there is nothing to
    look into. ``types`` holds the JSON types at each path, ``at`` where the first value of each path stands.
    ``faults`` says how severe each is. ``order`` holds of each mark of a stream the number of the first event that has
    it. ``protocol`` is what the transport shows, by name.
    """

    kind: str
    types: dict[str, set[str]]
    at: dict[str, Pointer]
    words: set[Fact]
    faults: dict[Fact, Severity]
    order: dict[str, int]
    protocol: dict[str, str]


def observed(one: Compared) -> Observed:
    """Look at one answer. Into a stream that is not whole nobody looks: what it lacks may have been cut off."""
    exchange, completion = one.exchange, one.answer.completion
    response = exchange.response
    body = response.body if response is not None else None
    value: Any = None
    kind = "other"
    if isinstance(body, Payload):
        kind, value = body.kind, body.value
    elif completion is not None:
        kind, value = "stream", completion.value
    found = Observed(kind, {}, {}, set(), {}, {}, {})
    if value is not None:
        _add(found, value, (), _DEEPEST)
    for hit in one.examined.found:
        if rules.group_of(hit.rule) in _GROUPS and hit.part is not Part.REQUEST:
            found.faults.setdefault(Fact(generic(hit.hit.pointer), hit.rule), hit.severity)
    if isinstance(body, Stream):
        found.order.update(_order(Trace(body)))
    found.protocol.update(_protocol(one, kind, found.order))
    return found


def _add(found: Observed, value: Any, at: Pointer, depth: int) -> None:
    path = generic(at)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    found.types.setdefault(path, set()).add("a number" if number else article(value))
    found.at.setdefault(path, at)
    if isinstance(value, str) and at and at[-1] in _ENUMERATED and len(value) <= _LONGEST_TYPE:
        found.words.add(Fact(path, shown(value)))
    if depth and isinstance(value, dict):
        for name, part in value.items():
            _add(found, part, (*at, name), depth - 1)
    elif depth and isinstance(value, list):
        for position, part in enumerate(value[:_MOST_ITEMS]):
            _add(found, part, (*at, position), depth - 1)


def _order(trace: Trace) -> dict[str, int]:
    first: dict[str, int] = {}
    for choice in trace.choices.values():
        for delta in choice.deltas:
            for name, value in delta.delta.items():
                if value or name == "role":
                    first.setdefault("role" if name == "role" else "text", delta.event)
            if delta.choice.get("finish_reason"):
                first.setdefault("finish_reason", delta.event)
    if trace.usages:
        first["usage"] = trace.usages[-1].event
    if trace.done:
        first["[DONE]"] = trace.done[0]
    return first


def _protocol(one: Compared, kind: str, order: dict[str, int]) -> Iterator[tuple[str, str]]:
    response = one.exchange.response
    if response is None:
        return
    form = _FORMS.get("stream" if one.answer.streamed else kind, "neither JSON nor a stream")
    yield "answer", form if response.status is None else f"{form} with status {response.status}"
    if response.content_type is not None:
        media_type = response.content_type.partition(";")[0].strip().lower()
        yield "content type", printable(masked(media_type))[:_LONGEST_TYPE]
    if one.answer.streamed and kind == "stream":
        yield "[DONE]", "sent" if "[DONE]" in order else "not sent"


_FORMS = {"stream": "a stream", "completion": "a completion", "error": "an error"}
