"""Make a JSON value smaller at many places at once: properties of all items, and what belongs to what was asked.

``bytes`` in a value are text that is kept as it is: JSON with faults, or a block of an event stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

__all__ = ["Holds", "compact", "shallow", "without_columns", "without_what_was_asked"]

Holds: TypeAlias = Callable[[Any], bool]
Path: TypeAlias = tuple[str | None, ...]
"""The names to a property, ``None`` for every index."""

_LAST_EVENTS = 4
"""The last events; one of them holds the usage, which the request wants and the finding may not need."""
_DEEPEST = 64
"""Levels of a value that is taken to pieces."""


def compact(value: object) -> bytes:
    """Return a value as JSON without spaces. Raises ``UnicodeEncodeError`` for a lone surrogate, which no JSON has."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def shallow(value: Any, levels: int = _DEEPEST) -> Any:
    """Return the value with at most ``levels`` levels. Objects and arrays below these levels become empty.

    Only the upper ``_DEEPEST`` levels of a value are taken to pieces.
    """
    if isinstance(value, dict):
        return {name: shallow(one, levels - 1) for name, one in value.items()} if levels else {}
    if isinstance(value, list):
        return [shallow(one, levels - 1) for one in value] if levels else []
    return value


def without_columns(value: Any, holds: Holds) -> Any:
    """Return the value without properties that can be left out of all items of an array at once, e.g. of all chunks."""
    for path in sorted(_paths(value), key=len):
        if holds(rest := _without(value, path)):
            value = rest
    return value


def without_what_was_asked(members: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """Return the properties of a sketch without options of the request that cause a part of the answer.

    An option and this part of the answer are left out at once.
    """
    asked = members.get("request")
    if not isinstance(asked, dict):
        return members
    for name in asked:
        rest = {**members, "request": {key: one for key, one in members["request"].items() if key != name}}
        if (fewer := next(filter(holds, _with_less_answer(rest)), None)) is not None:
            members = fewer
    return members


def _with_less_answer(members: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("sse", "chunks"):
        events = members.get(name, [])
        for number in list(reversed(range(len(events))))[:_LAST_EVENTS]:
            yield {**members, name: [*events[:number], *events[number + 1 :]]}
    for path in sorted(_paths({name: one for name, one in members.items() if name != "request"}), key=len):
        if len(path) > 1:
            yield _without(members, path)


def _paths(value: object, at: Path = ()) -> dict[Path, None]:
    found: dict[Path, None] = {}
    if isinstance(value, dict):
        for name, one in value.items():
            found[(*at, name)] = None
            found |= _paths(one, (*at, name))
    elif isinstance(value, list):
        for one in value:
            found |= _paths(one, (*at, None))
    return found


def _without(value: Any, path: Path) -> Any:
    step, rest = path[0], path[1:]
    if step is None:
        return [_without(one, rest) for one in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or step not in value:
        return value
    if not rest:
        return {name: one for name, one in value.items() if name != step}
    return {**value, step: _without(value[step], rest)}
