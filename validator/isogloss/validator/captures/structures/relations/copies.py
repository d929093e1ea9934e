"""Tell which of several exchanges in one record are the same, and which one was kept as it was sent.

Tracers keep an answer beside what they decoded of it: ``output`` beside ``annotated_response`` (section 8.1 of
packages/nvidia_nat_atif/atof-schema-profiles.md of NVIDIA/NeMo-Agent-Toolkit), or ``raw`` beside ``parsed``. Gateways
keep the chunks of a stream beside the completion that they folded it into: ``response_chunks`` beside ``response_body``
(internal/ent/schema/request.go of looplj/axonhub; both read 2026-11), and an answer beside what they repaired of it:
``rawResponse`` beside ``finalResponse`` (docs/COMPREHENSIVE_LLM_RESPONSE_LOGGING.md of
LennartHennigs/sap-aicore-proxy, read 2026-11). What is found in a copy says nothing about the server.

Two answers are the same if they say the same, if nothing that both have contradicts it, and if they answer the same
request. Of these, the copy is

* a completion beside the stream, unless the request did not ask for a stream: then the server may have sent it;
* what is called ``normalized`` or the like, and what has no such name, beside what is called ``raw`` or the like;
* what was decoded, beside the text;
* what has no property that the other one lacks.

If none of this holds, nobody knows which one is the copy, and both are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from isogloss.validator.captures.names import WORDS_OF_ORIGINALS, words_of
from isogloss.validator.exchange import Exchange, Payload, Response, Skipped, Stream
from isogloss.validator.nesting import are_same
from isogloss.validator.views import items, obj

__all__ = [
    "asks_the_same", "events_of", "is_raw", "is_same", "is_same_request", "original", "repeats", "without_copies",
]  # fmt: skip

_Named: TypeAlias = tuple[Exchange | Skipped, int]
"""What was found, and a number for the name of its answer: 1 for an answer as it was received, -1 for one that a
program made, and 0 for a name that says neither."""
_FACTS = ("id", "created", "model", "system_fingerprint")
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_OF_COPIES = frozenset({
    "adapted", "annotated", "cleaned", "converted", "corrected", "decoded", "final", "fixed", "formatted", "mapped",
    "modified", "normalised", "normalized", "parsed", "patched", "processed", "repaired", "sanitised", "sanitized",
    "standardised", "standardized", "transformed", "translated", "unified",
})  # fmt: skip
"""Words in the names of what a program made of an answer."""
_DEEPEST = 10
"""How deep the properties of answers are compared. Those of calls are eight levels deep."""


def without_copies(found: Sequence[Exchange | Skipped], paths: Sequence[str]) -> list[Exchange | Skipped]:
    """Return what was found in one record, without the exchanges that are copies of others in it. They must be few.

    ``paths`` say where each answer stands in the record.
    """
    named = list(zip(found, map(_originality, paths), strict=True))
    kept: list[_Named] = []
    for position, one in enumerate(named):
        is_copy = any(_is_copy(one, other) for other in kept)
        if not is_copy and not any(_is_copy(one, other, only=True) for other in named[position + 1 :]):
            kept.append(one)
    return [one for one, _ in kept]


def original(found: Sequence[Exchange | Skipped], paths: Sequence[str]) -> Exchange | Skipped:
    """Return the first of what was found in one record, or the exchange in it that this one is a copy of.

    ``paths`` say where each answer stands in the record.
    """
    first, *others = zip(found, map(_originality, paths), strict=True)
    return next((other for other in others if _is_copy(first, other, only=True)), first)[0]


def is_raw(path: str) -> bool:
    """Return whether the names in a path say that an answer stands there as it was received."""
    return _originality(path) > 0


def _originality(path: str) -> int:
    """Return whether the names in a path say that a program made what stands there (-1), or received it (1)."""
    words = words_of(path)
    return -1 if words & _OF_COPIES else 1 if words & WORDS_OF_ORIGINALS else 0


def repeats(one: Exchange, other: Exchange) -> bool:
    """Return whether an exchange says what another one in the same record says, whichever of them is the copy."""
    request, other_request = _request(one), _request(other)
    return (not request or not other_request or asks_the_same(request, other_request)) and _answers_the_same(one, other)


def is_same(one: Exchange, other: Exchange) -> bool:
    """Return whether two exchanges have equal requests and equal answers."""
    events = events_of(one.response)
    return bool(events) and are_same(events, events_of(other.response)) and is_same_request(one, other)


def is_same_request(one: Exchange, other: Exchange) -> bool:
    """Return whether two exchanges have equal requests, or none."""
    return are_same(_request(one), _request(other))


def asks_the_same(one: object, other: object) -> bool:
    """Return whether two requests are for the same model and have the same messages."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    return all(are_same(one.get(name), other.get(name)) for name in ("model", "messages"))


def _is_copy(named: _Named, other_named: _Named, *, only: bool = False) -> bool:
    """Return whether an exchange is a copy of another one in the same record.

    With ``only``, the result is false if the other one is a copy of it, too.
    """
    (one, originality), (other, of_other) = named, other_named
    if not isinstance(one, Exchange) or not isinstance(other, Exchange):
        return False
    request, other_request = _request(one), _request(other)
    if (request and other_request and not are_same(request, other_request)) or not _answers_the_same(one, other):
        return False
    names = of_other - originality
    return _is_made_of(one, other, names) and not (only and _is_made_of(other, one, -names))


def _is_made_of(one: Exchange, other: Exchange, names: int) -> bool:
    """Return whether the first of two forms of an answer is one that recorders make of the second.

    ``names`` is positive if their names say so, and negative if they say the opposite.
    """
    if isinstance(one.response, Stream) != isinstance(other.response, Stream):
        request = _request(one) or _request(other)
        return isinstance(other.response, Stream) and (not request or request.get("stream") is True)
    if names:
        return names > 0
    if _is_text(one) != _is_text(other):
        return _is_text(other)
    return _properties(events_of(one.response)) <= _properties(events_of(other.response))


def _request(exchange: Exchange) -> dict[str, Any]:
    value = exchange.request.value if exchange.request is not None else None
    return value if isinstance(value, dict) else {}


def _is_text(exchange: Exchange) -> bool:
    """Return whether the answer stands in its record as a text."""
    return exchange.response is not None and exchange.response.text is not exchange.text


def _answers_the_same(one: Exchange, other: Exchange) -> bool:
    events, other_events = events_of(one.response), events_of(other.response)
    if not events or not other_events:
        return False
    if are_same(events, other_events):
        return True
    facts, other_facts = _facts(events), _facts(other_events)
    if any(facts[name].isdisjoint(other_facts[name]) for name in facts.keys() & other_facts.keys()):
        return False
    said = _said(events)
    return (bool(said) or ("id" in facts and "id" in other_facts)) and are_same(said, _said(other_events))


def events_of(body: Response | None) -> list[dict[str, Any]]:
    """Return an answer as a list of its events; a completion is one of them."""
    values = body.values if isinstance(body, Stream) else [body.value] if isinstance(body, Payload) else []
    return [value for value in values if isinstance(value, dict)]


def _facts(events: list[dict[str, Any]]) -> dict[str, set[Any]]:
    """Return what an answer says about itself. Some servers say something else in each chunk."""
    found: dict[str, set[Any]] = {}
    for event in events:
        usage = event.get("usage")
        counts = [(name, usage.get(name)) for name in _COUNTS] if isinstance(usage, dict) else []
        for name, value in (*((name, event.get(name)) for name in _FACTS), *counts):
            if isinstance(value, str | int) and value != "":
                found.setdefault(name, set()).add(value)
    return found


def _said(events: list[dict[str, Any]]) -> dict[int, list[str]]:
    """Return what each choice says, by its index: the text, and the names and arguments of its calls.

    White space is left out: a program that decoded an answer may have changed it.
    """
    pieces: dict[int, tuple[list[Any], list[Any], list[Any]]] = {}
    for choice in (choice for event in events for _, choice in items(event.get("choices"))):
        index, message = choice.get("index"), obj(choice.get("message") or choice.get("delta")) or {}
        texts, names, arguments = pieces.setdefault(index if isinstance(index, int) else 0, ([], [], []))
        texts.append(message.get("content"))
        for _, call in items(message.get("tool_calls")):
            function = obj(call.get("function")) or {}
            names.append(function.get("name"))
            arguments.append(function.get("arguments"))
    said = {index: [_without_space(one) for one in parts] for index, parts in pieces.items()}
    return {index: parts for index, parts in said.items() if any(parts)}


def _without_space(pieces: list[Any]) -> str:
    return "".join("".join(piece for piece in pieces if isinstance(piece, str)).split())


def _properties(events: list[dict[str, Any]]) -> set[str]:
    """Return the paths of the properties that are not null. Libraries write null for what was not sent."""
    found: set[str] = set()
    unread: list[tuple[str, Any, int]] = [("", events, 0)]
    while unread:
        path, value, depth = unread.pop()
        if isinstance(value, list):
            unread += [(path, one, depth) for one in value]
        elif isinstance(value, dict) and depth < _DEEPEST:
            unread += [(f"{path}.{name}", one, depth + 1) for name, one in value.items()]
        elif value is not None:
            found.add(path)
    return found
