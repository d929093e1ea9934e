"""Keep one of the choices or calls of an answer, as number 0.

They count from 0, so that those before one of them cannot simply be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isogloss.validator.reducing.trees import Holds

__all__ = ["with_one_choice"]

_NUMBERED = ("choices", "tool_calls")
_NOTHING: Any = object()


def with_one_choice(properties: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """Return the properties of a sketch with the first choice that ``holds`` accepts alone, and likewise with one call.

    If it accepts none, all stay.
    """
    for name in _NUMBERED:
        indexes = dict.fromkeys(_indexes(properties, name))
        for index in indexes if len(indexes) > 1 else ():
            if (fewer := _with_one(properties, name, index)) is not _NOTHING and holds(fewer):
                properties = fewer
                break
    return properties


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

    What would have nothing in such an array is left out of the arrays around it, such as a chunk of other choices.
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
    return _NOTHING if _NOTHING in changed.values() else changed


def _is_numbered(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and type(one.get("index")) is int for one in value)
