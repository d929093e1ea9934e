"""Make a JSON value smaller at many pointers at once.

A property is left out of all items of an array, or an option of a request together with its effect on the answer.
``bytes`` in a value are text that is kept as it is: JSON with faults, or a block of an event stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

__all__ = ["Holds", "compact", "without_columns", "without_request_options"]

Holds: TypeAlias = Callable[[Any], bool]
Path: TypeAlias = tuple[str | None, ...]
"""The property names on the way to a property, with ``None`` for every index."""

_LAST_EVENTS = 4
"""The last events of a stream. One of them has the usage: the request asks for it, but the finding may not need it."""


def compact(value: object) -> bytes:
    """Return a value as JSON without spaces. Raises ``UnicodeEncodeError`` for a lone surrogate, which no JSON has."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def without_columns(value: Any, holds: Holds) -> Any:
    """Return the value without properties that can be left out of all items of an array at once, e.g. of all chunks."""
    for path in sorted(_paths(value), key=len):
        if holds(rest := _without(value, path)):
            value = rest
    return value


def without_request_options(properties: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """Return the properties of a sketch without options of the request that cause a part of the answer.

    An option and this part of the answer are left out at once.
    """
    request = properties.get("request")
    if not isinstance(request, dict):
        return properties
    for option in request:
        rest = {
            **properties,
            "request": {name: value for name, value in properties["request"].items() if name != option},
        }
        if (fewer := next(filter(holds, _with_smaller_answers(rest)), None)) is not None:
            properties = fewer
    return properties


def _with_smaller_answers(properties: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("sse", "chunks"):
        events = properties.get(name, [])
        for number in list(reversed(range(len(events))))[:_LAST_EVENTS]:
            yield {**properties, name: [*events[:number], *events[number + 1 :]]}
    for path in sorted(_paths({name: value for name, value in properties.items() if name != "request"}), key=len):
        if len(path) > 1:
            yield _without(properties, path)


def _paths(value: object, at: Path = ()) -> dict[Path, None]:
    found: dict[Path, None] = {}
    if isinstance(value, dict):
        for name, part in value.items():
            found[(*at, name)] = None
            found |= _paths(part, (*at, name))
    elif isinstance(value, list):
        for part in value:
            found |= _paths(part, (*at, None))
    return found


def _without(value: Any, path: Path) -> Any:
    step, rest = path[0], path[1:]
    if step is None:
        return [_without(part, rest) for part in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or step not in value:
        return value
    if not rest:
        return {name: part for name, part in value.items() if name != step}
    return {**value, step: _without(value[step], rest)}
