"""Keep few of the choices or calls of an answer, numbered from 0.

They count from 0, so that those before one of them cannot simply be left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from isogloss.validator.reducing.ddmin import minimise
from isogloss.validator.reducing.trees import Holds

__all__ = ["with_few_choices"]

_NUMBERED = ("choices", "tool_calls")
_ANSWERS = ("sse", "chunks", "response")
_NOTHING: Any = object()


def with_few_choices(properties: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """Return the properties of a capture with as few choices as ``holds`` accepts, and likewise with few calls."""
    answer = next((one for one in _ANSWERS if one in properties), None)
    if answer is not None:
        for name in _NUMBERED:
            properties = {**properties, answer: _with_few(properties, answer, name, holds)}
    return properties


def _with_few(properties: dict[str, Any], answer: str, name: str, holds: Holds) -> Any:
    value = properties[answer]
    numbers = list(dict.fromkeys(_indexes(value, name)))
    rest = value  # with those that are kept so far, under their own numbers

    def holds_with(kept: list[int]) -> bool:
        nonlocal rest, value
        if not kept:
            return False
        own = _with_only(rest, name, {number: number for number in kept})
        counted = _with_only(own, name, {number: position for position, number in enumerate(kept)})
        if counted is _NOTHING or not holds({**properties, answer: counted}):
            return False
        rest, value = own, counted
        return True

    if len(numbers) > 1:
        minimise(numbers, holds_with)
    return value


def _indexes(value: object, name: str) -> Iterator[int]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key == name and _is_numbered(part):
                yield from (item["index"] for item in part)
            yield from _indexes(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _indexes(part, name)


def _with_only(value: Any, name: str, numbers: Mapping[int, int]) -> Any:
    """Return a value in which arrays of this name hold only items with these numbers, which get others.

    What would have nothing in such an array is left out of the arrays around it, such as a choice without the call.
    Return ``_NOTHING`` if all of the value is left out.
    """
    if isinstance(value, list):
        kept = [part for part in (_with_only(item, name, numbers) for item in value) if part is not _NOTHING]
        return kept if kept or not value else _NOTHING
    if not isinstance(value, dict):
        return value
    changed = {}
    for key, part in value.items():
        if key == name and part and _is_numbered(part):
            part = [{**item, "index": numbers[item["index"]]} for item in part if item["index"] in numbers] or _NOTHING
        changed[key] = _with_only(part, name, numbers)
        if changed[key] is _NOTHING:
            return _NOTHING
    return changed


def _is_numbered(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and type(one.get("index")) is int for one in value)
