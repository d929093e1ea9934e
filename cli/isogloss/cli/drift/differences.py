"""Find the differences between the reference and another description, from the root of each kind of payload down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isogloss.cli.drift.alternatives import Document, Node
from isogloss.cli.drift.described import Described
from isogloss.cli.drift.shapes import Object, Shape, shape

__all__ = ["ASPECTS", "Difference", "differences"]

ASPECTS = {
    "property-new": "has a property that the reference lacks",
    "property-gone": "lacks a property that the reference has",
    "object-new": "has a kind of object that the reference lacks",
    "object-gone": "lacks a kind of object that the reference has",
    "type-new": "allows a type that the reference does not",
    "type-gone": "does not allow a type that the reference does",
    "word-new": "has a word that the reference lacks",
    "word-gone": "lacks a word that the reference has",
    "open": "allows any string, the reference only its words",
    "closed": "allows only its words, the reference any string",
    "required": "requires what the reference does not",
    "optional": "does not require what the reference does",
    "bound-new": "has a bound that the reference lacks",
    "bound-gone": "lacks a bound that the reference has",
    "bound-other": "has another bound than the reference",
}
"""The ways in which a description can differ from the reference, each with a text."""


@dataclass(frozen=True, kw_only=True, order=True)
class Difference:
    """One difference of a description: the kind of payload, the path ``at``, the aspect, and ``what`` differs there."""

    kind: str
    at: str
    aspect: str
    what: str = ""


def differences(reference: Mapping[str, Mapping[str, Any]], described: Described) -> list[Difference]:
    """Return all differences, sorted. A kind of payload that the description lacks is left out."""
    found: set[Difference] = set()
    for kind, document in described.documents.items():
        comparison = _Comparison(kind, described)
        ours, theirs = ((schema, Document(schema)) for schema in (reference[kind], document))
        found |= set(comparison.nodes((ours,), (theirs,), ""))
    return sorted(found)


class _Comparison:
    """The comparison of one kind of payload."""

    def __init__(self, kind: str, described: Described) -> None:
        self.kind = kind
        self.described = described

    def _difference(self, at: str, aspect: str, what: object = "") -> Difference:
        return Difference(kind=self.kind, at=at, aspect=aspect, what=str(what))

    def nodes(self, ours: tuple[Node, ...], theirs: tuple[Node, ...], at: str) -> Iterator[Difference]:
        """Yield the differences at a path and below it."""
        left, right = shape(ours), shape(theirs)
        if left.free or right.free:
            return
        yield from self._types(left, right, at)
        if "string" in left.types & right.types:
            yield from self._strings(left, right, at)
        if self.described.bounds:
            yield from self._bounds(left, right, at)
        if left.items and right.items:
            yield from self.nodes(left.items, right.items, f"{at}[]")
        if left.objects and right.objects:
            yield from self._objects(left.objects, right.objects, at)

    def _types(self, left: Shape, right: Shape, at: str) -> Iterator[Difference]:
        ours, theirs = left.types, right.types
        if not self.described.integers:
            ours, theirs = (frozenset(name.replace("integer", "number") for name in types) for types in (ours, theirs))
        yield from (self._difference(at, "type-new", name) for name in theirs - ours - left.mild)
        yield from (self._difference(at, "type-gone", name) for name in ours - theirs)

    def _strings(self, left: Shape, right: Shape, at: str) -> Iterator[Difference]:
        if left.words:
            yield from (self._difference(at, "word-new", word) for word in right.words - left.words)
        if left.closed and not right.closed:
            yield self._difference(at, "open")
        if right.closed:
            yield from (self._difference(at, "word-gone", word) for word in left.words - right.words)
            if not left.words:
                yield self._difference(at, "closed", ", ".join(sorted(right.words)))

    def _bounds(self, left: Shape, right: Shape, at: str) -> Iterator[Difference]:
        for name in sorted({*left.bounds, *right.bounds}):
            ours, theirs = left.bounds.get(name), right.bounds.get(name)
            if ours is None:
                yield self._difference(at, "bound-new", f"{name} {theirs}")
            elif theirs is None:
                yield self._difference(at, "bound-gone", f"{name} {ours}")
            elif ours != theirs:
                yield self._difference(at, "bound-other", f"{name} {theirs} in place of {ours}")

    def _objects(self, ours: Mapping[str, Object], theirs: Mapping[str, Object], at: str) -> Iterator[Difference]:
        if len(ours) == len(theirs) == 1 and "" in {*ours, *theirs}:
            (left,), (right,) = ours.values(), theirs.values()
            yield from self._properties(left, right, at)
            return
        for name in sorted({*ours, *theirs}):
            if name not in ours:
                yield self._difference(at, "object-new", name or "one that no word names")
            elif name not in theirs:
                yield self._difference(at, "object-gone", name or "one that no word names")
            else:
                step = f"<{name}>" if len(ours) > 1 else ""
                yield from self._properties(ours[name], theirs[name], at + step)

    def _properties(self, left: Object, right: Object, at: str) -> Iterator[Difference]:
        names = {*left.properties, *right.properties} if left.properties and right.properties else ()
        for name in sorted(names):
            inner = f"{at}.{name}" if at else name
            if name not in left.properties:
                yield self._difference(inner, "property-new", _summary(shape(right.properties[name])))
            elif name not in right.properties:
                yield self._difference(inner, "property-gone")
            else:
                if name in right.required - left.required - left.unsure:
                    yield self._difference(inner, "required")
                if name in left.required - right.required - right.unsure:
                    yield self._difference(inner, "optional")
                yield from self.nodes(left.properties[name], right.properties[name], inner)
        if left.values and right.values:
            yield from self.nodes(left.values, right.values, f"{at}.*")


def _summary(held: Shape) -> str:
    """Describe in a few words what a property holds."""
    if held.free:
        return "any value"
    names = sorted({name for kind in held.objects.values() for name in kind.properties})
    with_names = f" with {', '.join(names)}" if names else ""
    words = f" ({', '.join(sorted(held.words))})" if held.words else ""
    return "; ".join(sorted(held.types)) + with_names + words
