"""Describe what may cause hits: the hits of the cause itself, and the exchange with what was meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.exchange import Exchange, Payload, Stream
from isogloss.validator.pointer import Pointer

if TYPE_CHECKING:
    from isogloss.validator.examining.placing import ExchangePart

__all__ = ["MOST_CAUSES", "Cause", "Change", "JsonObject", "changed", "values_of", "with_changes", "with_values"]

MOST_CAUSES = 4
"""With more of them, the exchange would have to be examined too often. So it would with more answers in a stream."""
JsonObject: TypeAlias = dict[Any, Any]
Change: TypeAlias = Callable[[JsonObject], JsonObject]
"""Returns an object with an unknown property as it was meant."""


class Cause(NamedTuple):
    """The hits with one cause, the exchange or the exchanges with what was meant, and the cause in words.

    ``is_whole`` says that these hits are one finding, even if no other follows from them. If it ``must_conform``, other
    hits follow only if nothing else is found then, and that was meant only if no other error is found.
    """

    hits: Sequence[RuleHit]
    meant: Sequence[Exchange]
    sentence: str
    is_whole: bool = False
    must_conform: bool = False


def values_of(exchange: Exchange, part: ExchangePart) -> list[Any]:
    """Return the payloads of the request or of the answer."""
    payload = exchange.request if part == "request" else exchange.response
    if isinstance(payload, Stream):
        return payload.values
    return [payload.value] if isinstance(payload, Payload) else []


def with_values(exchange: Exchange, part: ExchangePart, values: list[Any]) -> Exchange:
    """Return an exchange with other payloads of the request or of the answer."""
    if isinstance(exchange.response, Stream) and part != "request":
        return replace(exchange, response=replace(exchange.response, values=values))
    name = "request" if part == "request" else "response"
    return replace(exchange, **{name: replace(getattr(exchange, name), value=values[0])})


def with_changes(exchange: Exchange, changes: Sequence[tuple[RuleHit, Change]]) -> Exchange:
    """Return an exchange in which the objects that hold unknown properties are changed."""
    part = changes[0][0].part
    values = values_of(exchange, part).copy()
    for one, change in changes:
        for event in one.events or (one.hit.event or 0,):
            values[event] = changed(values[event], one.hit.pointer[:-1], change)
    return with_values(exchange, part, values)


def changed(value: Any, at: Pointer, change: Change) -> Any:
    """Return a value in which the object at a pointer is changed. Only what holds it is copied."""
    if not at:
        return change(value)
    step, *inside = at
    copy = value.copy()
    copy[step] = changed(value[step], tuple(inside), change)
    return copy
