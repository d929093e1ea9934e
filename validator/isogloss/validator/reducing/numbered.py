"""Keep one of the choices or calls of an answer, as number 0.

They count from 0, so that those before one of them cannot simply be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isogloss.validator.reducing.trees import Holds

__all__ = ["with_one_choice"]

_NUMBERED = ("choices", "tool_calls")
_ANSWERS = ("sse", "chunks", "response")
_MOST_EVENTS = 100_000
"""How many events all candidates may have together. With more, most events are no part of any choice or call."""
_NOTHING: Any = object()


def with_one_choice(properties: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """Return the properties of a sketch with the first choice that ``holds`` accepts alone, and likewise with one call.

    If it accepts none, all stay.
    """
    for name in _NUMBERED:
        properties = next(filter(holds, _each_alone(properties, name)), properties)
    return properties


def _each_alone(properties: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """Yield the properties with one item of the arrays of this name after the other, if there are several."""
    answer = next((one for one in _ANSWERS if one in properties), None)
    if answer is None:
        return
    value = properties[answer]
    events = value if isinstance(value, list) else [value]
    positions: dict[int, list[int]] = {}  # of the events with an item of that number
    others: list[int] = []
    for position, event in enumerate(events):
        indexes = set(_indexes(event, name))
        for index in indexes:
            positions.setdefault(index, []).append(position)
        if not indexes:
            others.append(position)
    count = 0
    for index, holding in positions.items() if len(positions) > 1 else ():
        count += len(holding) + len(others)
        if count > _MOST_EVENTS:
            return
        kept = [_with_one(events[position], name, index) for position in sorted(holding + others)]
        kept = [event for event in kept if event is not _NOTHING]
        if kept:
            yield {**properties, answer: kept if isinstance(value, list) else kept[0]}


def _indexes(value: object, name: str) -> Iterator[int]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key == name and _is_numbered(part):
                yield from (item["index"] for item in part)
            yield from _indexes(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _indexes(part, name)


def _with_one(value: Any, name: str, index: int) -> Any:
    """Return a value in which arrays of this name hold nothing but the item with the index, as number 0.

    What would have nothing in such an array is left out of the arrays around it, such as a choice without the call.
    Return ``_NOTHING`` if all of the value is left out.
    """
    if isinstance(value, list):
        kept = [part for part in (_with_one(item, name, index) for item in value) if part is not _NOTHING]
        return kept if kept or not value else _NOTHING
    if not isinstance(value, dict):
        return value
    changed = {}
    for key, part in value.items():
        if key == name and part and _is_numbered(part):
            part = [{**item, "index": 0} for item in part if item["index"] == index] or _NOTHING
        changed[key] = _with_one(part, name, index)
        if changed[key] is _NOTHING:
            return _NOTHING
    return changed


def _is_numbered(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and type(one.get("index")) is int for one in value)
