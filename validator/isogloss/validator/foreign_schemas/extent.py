"""Measure the size of a JSON value: a schema, or an instance that is validated against a schema."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Extent", "extent"]

_MOST_NODES = 20_000
_DEEPEST = 64
_CONTAINERS = (dict, list)


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
    if isinstance(value, str):
        return Extent(1, 0, len(value) ** 2)
    nodes, deepest, squares = 1, 0, 0
    pending: list[tuple[Any, int]] = [(value, 1)] if isinstance(value, _CONTAINERS) else []  # with the depth inside
    while pending:
        node, depth = pending.pop()
        nodes += len(node)
        if depth > deepest and node:
            deepest = depth
        if nodes > _MOST_NODES or deepest > _DEEPEST:
            return None
        if isinstance(node, dict):
            for name in node:
                squares += len(name) ** 2
            node = node.values()
        else:
            squares += 10 * len(node) ** 2
        for item in node:
            if isinstance(item, str):
                squares += len(item) ** 2
            elif isinstance(item, _CONTAINERS):
                pending.append((item, depth + 1))
    return Extent(nodes, deepest, squares)
