"""Read JSON values that may be nested deep: functions that call themselves cannot read the deepest ones of captures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["are_same", "is_deeper", "shallow", "values_in"]

_DEEPEST = 64
"""Levels that are enough for what isogloss does with a value: the schemas describe several times fewer levels."""


def shallow(value: Any, levels: int = _DEEPEST) -> Any:
    """Return a copy of a JSON value with at most ``levels`` levels. Objects and arrays below these become empty."""
    if isinstance(value, dict):
        return {name: shallow(part, levels - 1) for name, part in value.items()} if levels else {}
    if isinstance(value, list):
        return [shallow(part, levels - 1) for part in value] if levels else []
    return value


def is_deeper(value: Any, levels: int = _DEEPEST) -> bool:
    """Return whether a JSON value has more than ``levels`` levels of objects and arrays."""
    level = {id(value): value}  # what stands in several places, as in YAML, is looked into once
    for _ in range(levels + 1):
        containers = [one for one in level.values() if isinstance(one, dict | list)]
        if not containers:
            return False
        parts = (part for one in containers for part in (one.values() if isinstance(one, dict) else one))
        level = {id(part): part for part in parts}
    return True


def values_in(value: Any) -> Iterator[Any]:
    """Yield a JSON value and all values in it, in no particular order. The names of properties are left out."""
    pending = [value]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, dict):
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)


def are_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal. Of values that are nested too deep, the first levels are compared."""
    try:
        return bool(one == other)
    except RecursionError:
        return bool(shallow(one) == shallow(other))
