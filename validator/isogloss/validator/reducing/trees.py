"""Make a JSON value smaller at many pointers at once.

A property is left out of all items of an array, or an option of a request together with its effect on the answer.
``bytes`` in a value are text that is kept as it is: JSON with faults, or a block of an event stream.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

__all__ = ["Holds", "compact", "with_few_items", "without_columns", "without_request_options"]

Holds: TypeAlias = Callable[[Any], bool]
Path: TypeAlias = tuple[str | None, ...]
"""The property names on the way to a property, with ``None`` for every index."""

_LAST_EVENTS = 4
"""The last events of a stream. One of them has the usage: the request asks for it, but the finding may not need it."""


def compact(value: object) -> bytes:
    """Return a value as JSON without spaces. Raises ``UnicodeEncodeError`` for a lone surrogate, which no JSON has."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def with_few_items(value: Any, pointer: str, least: int) -> Any:
    """Return the value with only one item in each array that has so many: the one that a JSON Pointer leads to.

    In an array to which it does not lead, this is the first item. Return the value itself if there is no such array.
    """
    step, slash, rest = pointer[1:].partition("/")
    if isinstance(value, list):
        number = int(step) if step.isdecimal() and int(step) < len(value) else -1
        if len(value) >= least:
            return [with_few_items(value[max(number, 0)], slash + rest if number >= 0 else "", least)]
        parts = [with_few_items(one, slash + rest if at == number else "", least) for at, one in enumerate(value)]
        return value if all(map(operator.is_, parts, value)) else parts
    if isinstance(value, dict):
        name = step.replace("~1", "/").replace("~0", "~")
        fewer = {key: with_few_items(part, slash + rest if key == name else "", least) for key, part in value.items()}
        return value if all(map(operator.is_, fewer.values(), value.values())) else fewer
    return value


def without_columns(value: Any, holds: Holds) -> Any:
    """Return the value without properties that can be left out of all items of an array at once, e.g. of all chunks."""
    for path in sorted(_paths(value), key=len):
        if holds(rest := _without(value, path)):
            value = rest
    return value


def without_request_options(properties: dict[str, Any], holds: Holds) -> dict[str, Any]:
    """Return the properties of a capture without options of the request that cause a part of the answer.

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
