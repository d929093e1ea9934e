"""Measure the size of a JSON value: a schema, or an instance that is validated against a schema."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Extent", "extent"]

_MOST_NODES = 20_000
_DEEPEST = 64


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
        node, depth = pending.pop()
        nodes += 1
        if depth > deepest:
            deepest = depth
        if nodes > _MOST_NODES or depth > _DEEPEST:
            return None
        if isinstance(node, str):
            squares += len(node) ** 2
        elif isinstance(node, list):
            squares += 10 * len(node) ** 2
            depth += 1
            pending += [(item, depth) for item in node]
        elif isinstance(node, dict):
            depth += 1
            for name, item in node.items():
                squares += len(name) ** 2
                pending.append((item, depth))
    return Extent(nodes, deepest, squares)
