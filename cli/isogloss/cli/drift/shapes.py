"""Reduce a JSON Schema to what it allows at one path: types, words, bounds, items and the properties of objects.

The schemas of items and properties are only collected: what they allow is not read yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isogloss.cli.drift.alternatives import TYPES, Document, Node, Schema, alternatives, keyword

__all__ = ["Object", "Shape", "shape"]

_BOUNDS = (
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "pattern",
)  # fmt: skip
_DISCRIMINATORS = ("type", "role")
"""Properties whose value distinguishes the objects of a union."""


@dataclass(frozen=True, kw_only=True)
class Object:
    """The properties of one kind of object.

    ``unsure`` are properties that may be required or not: the source does not say it, or sources disagree.
    ``values`` are the schemas for properties with any other name, if these are allowed.
    """

    properties: Mapping[str, tuple[Node, ...]]
    required: frozenset[str]
    unsure: frozenset[str] = frozenset()
    values: tuple[Node, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What is allowed at a path.

    ``mild`` are types that are not allowed, but are not an error. ``closed`` says that strings other than ``words`` are
    an error. ``objects`` has the kinds of object by the value that distinguishes them. A kind without such a value has
    the name ``""``.
    """

    types: frozenset[str]
    mild: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    closed: bool = False
    bounds: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[Node, ...] = ()
    objects: Mapping[str, Object] = field(default_factory=dict)

    @property
    def free(self) -> bool:
        """Whether any value is allowed."""
        return self.types >= frozenset(TYPES) - {"integer"}


def shape(nodes: Iterable[Node]) -> Shape:
    """Return what the schemas allow together: a value that one of them accepts."""
    typed_nodes = [node for schema, document in nodes for node in alternatives(schema, document)]
    strings = [schema for schema, _ in typed_nodes if schema["type"] == "string"]
    bounds: dict[str, Any] = {}
    for schema, _ in typed_nodes:
        bounds |= {name: schema[name] for name in _BOUNDS if name in schema}
    types = frozenset(schema["type"] for schema, _ in typed_nodes)
    return Shape(
        types=types - {"integer"} if "number" in types else types,
        mild=frozenset("null" for schema, _ in typed_nodes if "x-null" in schema),
        words=frozenset(word for schema in strings for word in _words(schema)),
        closed=bool(strings) and all(_words(schema) and "x-severity" not in schema for schema in strings),
        bounds=bounds,
        items=tuple(
            (schema["items"], document) for schema, document in typed_nodes if isinstance(schema.get("items"), Mapping)
        ),
        objects=_objects([(schema, document) for schema, document in typed_nodes if schema["type"] == "object"]),
    )


def _words(schema: Schema) -> list[str]:
    values = [schema["const"]] if "const" in schema else keyword(schema, "enum", list)
    return [value for value in values if isinstance(value, str)]


def _objects(nodes: list[Node]) -> dict[str, Object]:
    """Return the kinds of object by name; those that have none are one kind, with the properties of all of them."""
    by_name: dict[str, list[Node]] = {}
    for schema, document in nodes:
        by_name.setdefault(_name(schema, document), []).append((schema, document))
    return {name: _merge_object(same_name) for name, same_name in by_name.items()}


def _name(schema: Schema, document: Document) -> str:
    for name in _DISCRIMINATORS:
        value = keyword(schema, "properties", dict).get(name)
        if isinstance(value, Mapping):
            words = [word for one, _ in alternatives(value, document) for word in _words(one)]
            if len(words) == 1 and "x-severity" not in value:
                return words[0]
    return ""


def _merge_object(nodes: list[Node]) -> Object:
    properties: dict[str, tuple[Node, ...]] = {}
    for schema, document in nodes:
        for name, value in keyword(schema, "properties", dict).items():
            property_schema = value if isinstance(value, Mapping) else {}
            properties[str(name)] = (*properties.get(str(name), ()), (property_schema, document))
    required = [set(map(str, keyword(schema, "required", list))) for schema, _ in nodes]
    unsure = {str(name) for schema, _ in nodes for name in keyword(schema, "x-documented-required", list)}
    values = tuple(
        (schema["additionalProperties"], document)
        for schema, document in nodes
        if isinstance(schema.get("additionalProperties"), Mapping)
    )
    return Object(
        properties=properties,
        required=frozenset(set.intersection(*required) - unsure),
        unsure=frozenset(unsure),
        values=values,
    )
