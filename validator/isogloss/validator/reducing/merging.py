"""Make a stream smaller: leave out chunks, and merge chunks that follow each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isogloss.validator.reducing.ddmin import minimise

__all__ = ["with_fewer_chunks"]


def with_fewer_chunks(properties: dict[str, Any], holds: Callable[[Any], bool]) -> dict[str, Any]:
    """Return the properties of a capture with fewer chunks, and without the framing of a stream if it is not needed."""
    for name in ("sse", "chunks"):
        if name in properties:
            properties = {**properties, name: _with_fewer_events(properties, name, holds)}
    if len(properties) > 1 and "sse" in properties:
        chunks = [one for one in properties["sse"] if not isinstance(one, bytes)]
        unframed = {("chunks" if name == "sse" else name): value for name, value in properties.items()}
        if holds(unframed := {**unframed, "chunks": chunks}):
            return unframed
    return properties


def _with_fewer_events(properties: dict[str, Any], name: str, holds: Callable[[Any], bool]) -> list[Any]:
    def holds_with(events: list[Any]) -> bool:
        return holds({**properties, name: events})

    events = minimise(properties[name], holds_with)
    number = 0
    while number + 1 < len(events):
        merged = [_merge(events[number], events[number + 1])] if _are_chunks(events[number : number + 2]) else []
        if merged and holds_with(fewer := [*events[:number], *merged, *events[number + 2 :]]):
            events = fewer
        else:
            number += 1
    return events


def _are_chunks(events: list[Any]) -> bool:
    return all(isinstance(event, dict) and event.get("choices") for event in events)


def _merge(first: Any, second: Any) -> Any:
    """Merge two values: add the properties of the second to those of the first, and append its text.

    Arrays of the same length are merged item by item. Equal texts are kept once. Of any other two values the second is
    kept, unless it is null.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        merged = {name: _merge(value, second[name]) if name in second else value for name, value in first.items()}
        return merged | {name: value for name, value in second.items() if name not in first}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [_merge(one, other) for one, other in zip(first, second, strict=True)]
    if isinstance(first, str) and isinstance(second, str) and first != second:
        return first + second
    return first if second is None else second
