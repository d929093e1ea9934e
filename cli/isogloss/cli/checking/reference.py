"""Read the properties of the reference into a tree, by path: a corpus can exercise each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from isogloss import schemas
from isogloss.schemas.references import steps
from isogloss.validator.pointer import Pointer, follow

__all__ = ["PropertyNode", "tree"]

_SAME_VALUE_KEYWORDS = ("allOf", "then", "else")
"""The keywords whose schemas describe the same value. ``if`` is left out: it only chooses between them."""


class PropertyNode:
    """A property at a path of a kind of payload, or the items of an array.

    Variants that differ by a discriminator, such as messages by role, are one node. ``values`` are the values of
    an enumeration, and ``true`` and ``false``. ``children`` are the properties by name. Nodes are compared by identity.
    """

    __slots__ = ("children", "items", "kind", "path", "values")

    def __init__(self, kind: str, path: str) -> None:
        self.kind = kind
        self.path = path
        self.values: dict[str | bool, None] = {}
        self.children: dict[str, PropertyNode] = {}
        self.items: PropertyNode | None = None

    @property
    def inner(self) -> Mapping[str, PropertyNode]:
        """The properties of the value. If the value is an array, the properties of its items."""
        node = self
        while not node.children and node.items is not None:
            node = node.items
        return node.children

    @property
    def choices(self) -> Iterator[tuple[PropertyNode, str | bool]]:
        """The values that the property may have, or the items if it is an array. Each comes with its node."""
        node: PropertyNode | None = self
        while node is not None:
            for value in node.values:
                yield node, value
            node = node.items

    def below(self) -> Iterator[PropertyNode]:
        """Yield every property inside this one, in the order of the schema."""
        for child in self.inner.values():
            yield child
            yield from child.below()


@cache
def tree(kind: str) -> PropertyNode:
    """Return the root of the tree for a kind of payload."""
    root = PropertyNode(kind, "")
    _read(schemas.validation_document(kind), (), root, kind, ())
    return root


def _read(document: Any, pointer: Pointer, node: PropertyNode, kind: str, followed: tuple[str, ...]) -> None:
    """Add to a node what a schema says of the value. ``followed`` are the references that led to the schema."""
    schema = follow(document, pointer)
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in followed:
        _read(document, steps(reference), node, kind, (*followed, reference))
    for value in [schema["const"]] if "const" in schema else schema.get("enum", ()):
        if isinstance(value, str):
            node.values[value] = None
    types = schema.get("type", ())
    if types == "boolean" or "boolean" in types:
        node.values |= {True: None, False: None}
    for name in schema.get("properties", {}):
        path = f"{node.path}.{name}" if node.path else name
        child = node.children.setdefault(name, PropertyNode(kind, path))
        _read(document, (*pointer, "properties", name), child, kind, followed)
    if "items" in schema:
        if node.items is None:
            node.items = PropertyNode(kind, f"{node.path}[]")
        _read(document, (*pointer, "items"), node.items, kind, followed)
    for keyword in _SAME_VALUE_KEYWORDS:
        inner = schema.get(keyword)
        if isinstance(inner, list):
            for position in range(len(inner)):
                _read(document, (*pointer, keyword, position), node, kind, followed)
        elif isinstance(inner, dict):
            _read(document, (*pointer, keyword), node, kind, followed)
