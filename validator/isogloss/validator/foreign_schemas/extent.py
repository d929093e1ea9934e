"""Measure how large a JSON value is: a schema that is read, or an instance that is validated against one."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Extent", "extent"]

_NODES = 20_000
_DEPTH = 64


class Extent(NamedTuple):
    """The size of an instance: its nodes, its nesting, and the squares of its lengths.

    A regular expression may cost the square of the length of a string, and ``uniqueItems`` ten times the square of the
    length of an array.
    """

    nodes: int
    depth: int
    squares: int


def extent(value: object) -> Extent | None:
    """Return the extent of a JSON value; ``None`` if it is too large to be validated."""
    nodes = squares = deepest = 0
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        one, depth = pending.pop()
        nodes += 1
        if depth > deepest:
            deepest = depth
        if nodes > _NODES or depth > _DEPTH:
            return None
        if isinstance(one, str):
            squares += len(one) ** 2
        elif isinstance(one, list):
            squares += 10 * len(one) ** 2
            depth += 1
            pending += [(item, depth) for item in one]
        elif isinstance(one, dict):
            depth += 1
            for name, item in one.items():
                squares += len(name) ** 2
                pending.append((item, depth))
    return Extent(nodes, deepest, squares)
