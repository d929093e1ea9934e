"""Estimate the work of validating an instance against a schema, before any of it is done."""

from __future__ import annotations

from typing import Any, NamedTuple

from isogloss.validator.foreign_schemas.extent import Extent
from isogloss.validator.foreign_schemas.structure import Structure, resolve, subschemas

__all__ = ["Cost", "Work"]

_MOST_PAIRS = 50_000  # pairs of a schema node and a depth
_DEEPEST = (
    100  # limit of the recursion below, and so of an engine: references can lead deeper than the schema is nested
)


class _Unbounded(Exception):
    """Raised if references of the schema form a circle, or lead too deep."""


class Work(NamedTuple):
    """The number of visits of an engine to instance nodes, and the further cost of ``pattern`` and ``uniqueItems``."""

    visits: int
    quadratic: int


class Cost:
    """An upper bound on the work of a schema: every reference is followed, down to the depth of the instance."""

    __slots__ = ("_by_depth", "_document", "_known_work", "patterned")

    def __init__(self, document: dict[str, Any], surveyed: Structure) -> None:
        self._document = document
        self._known_work: dict[tuple[int, int], tuple[int, int]] = {}
        self._by_depth: dict[int, tuple[int, int] | None] = {}
        self.patterned = surveyed.patterned

    def work_for(self, size: Extent) -> Work | None:
        """Return the work for an instance of that size; ``None`` if there is no bound."""
        depth = size.depth
        if depth not in self._by_depth:
            try:
                self._by_depth[depth] = self._work_per_node(self._document, depth, set())
            except _Unbounded:
                self._by_depth[depth] = None
        work_per_node = self._by_depth[depth]
        if work_per_node is None:
            return None
        nodes, quadratic = work_per_node
        return Work(size.nodes * nodes, quadratic * size.squares // 100)

    def _work_per_node(self, schema: Any, depth: int, active: set[tuple[int, int]]) -> tuple[int, int]:
        """Return the visits and the further cost for each instance node. ``active`` are the schemas around this one."""
        if not isinstance(schema, dict):
            return 1, 0
        key = id(schema), depth
        if (known := self._known_work.get(key)) is not None:
            return known
        if key in active or len(active) > _DEEPEST or len(self._known_work) > _MOST_PAIRS:
            raise _Unbounded
        active.add(key)
        nodes = 1 + len(schema) + _words(schema.get("enum")) + _words(schema.get("required"))
        dependent = schema.get("dependentRequired")
        nodes += sum(map(_words, dependent.values())) if isinstance(dependent, dict) else 0
        expressions = schema.get("patternProperties")
        quadratic = ("pattern" in schema) + ("uniqueItems" in schema)
        quadratic += len(expressions) if isinstance(expressions, dict) else 0
        inner_passes = 2 if "unevaluatedProperties" in schema or "unevaluatedItems" in schema else 1
        inner = [(subschema, child) for _, subschema, child in subschemas(schema)]
        reference = schema.get("$ref")
        if isinstance(reference, str):
            inner.append((resolve(self._document, reference), False))
        for subschema, child in inner:
            if child and not depth:
                continue
            inner_nodes, inner_quadratic = self._work_per_node(subschema, depth - child, active)
            nodes += inner_nodes * (1 if child else inner_passes)
            quadratic += inner_quadratic * (1 if child else inner_passes)
        active.discard(key)
        self._known_work[key] = nodes, quadratic
        return nodes, quadratic


def _words(words: object) -> int:
    """Return how many values a list of the schema names. Each is looked at, and may be an error of its own."""
    return len(words) if isinstance(words, list) else 0
