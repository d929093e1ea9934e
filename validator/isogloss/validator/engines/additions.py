"""Members that the reference does not have, told without an engine: they are what vendors' answers deviate by most.

An engine takes much longer to say what is wrong than to say that something is. Where a payload is valid once
such members are left out, they are all that is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from isogloss import schemas
from isogloss.schemas import references
from isogloss.validator.engines.protocol import SchemaError
from isogloss.validator.pointer import Pointer

__all__ = ["closed", "listing", "only_additions", "unmarked"]

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description", "deprecated"})
_OF_OBJECTS = frozenset({"type", "properties", "required", "additionalProperties"})
_OF_ARRAYS = frozenset({"type", "items", "minItems", "maxItems"})


def unmarked(schema: Mapping[str, Any]) -> set[str]:
    """The keywords of a schema that decide something."""
    return {name for name in schema if name not in _ANNOTATIONS and not name.startswith("x-")}


def closed(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says nothing but which members an object has, which are all that it may have."""
    return schema.get("additionalProperties") is False and unmarked(schema) <= _OF_OBJECTS


def listing(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says nothing but what the items of an array are, and how many."""
    return "items" in schema and unmarked(schema) <= _OF_ARRAYS


class _Node(NamedTuple):
    """A closed object of the schema, or an array of such: where it stands in the schema, and what is inside."""

    schema: Pointer
    names: frozenset[str]
    members: Mapping[str, _Node]
    items: _Node | None


def only_additions(kind: str, value: object, valid: Callable[[str, object], bool]) -> list[SchemaError] | None:
    """The errors of a payload that has more members than its schema, and nothing else wrong; ``None`` for any other."""
    root = _root(kind)
    if root is None:
        return None
    errors: list[SchemaError] = []
    rest = _without(value, root, (), errors)
    return errors if errors and valid(kind, rest) else None


def _without(value: object, node: _Node, at: Pointer, errors: list[SchemaError]) -> object:
    """The value without the members that are not in the schema, each object that has some noted as an error."""
    if isinstance(value, dict) and node.items is None:
        members = node.members
        if value.keys() <= node.names:
            if members.keys().isdisjoint(value):
                return value
            kept = value.copy()
        else:
            errors.append(SchemaError(at, (*node.schema, "additionalProperties")))
            kept = {name: member for name, member in value.items() if name in node.names}
        for name, inner in members.items():
            if name in kept:
                kept[name] = _without(kept[name], inner, (*at, name), errors)
        return kept
    if isinstance(value, list) and node.items is not None:
        return [_without(item, node.items, (*at, index), errors) for index, item in enumerate(value)]
    return value


@cache
def _root(kind: str) -> _Node | None:
    document = schemas.judged(kind)
    return _node(document, document, (), frozenset())


def _node(
    document: Mapping[str, Any], schema: Mapping[str, Any], at: Pointer, above: frozenset[Pointer]
) -> _Node | None:
    """What a schema says of objects, if it is nothing but that they are closed, and if it is not inside itself."""
    reference = schema.get("$ref")
    if reference is not None:
        at = references.steps(reference)
        schema = references.resolved(document, reference)
    if at in above:
        return None
    above = above | {at}
    if closed(schema):
        found = {
            name: _node(document, member, (*at, "properties", name), above)
            for name, member in schema.get("properties", {}).items()
        }
        return _Node(at, frozenset(found), {name: node for name, node in found.items() if node is not None}, None)
    if listing(schema):
        inner = _node(document, schema["items"], (*at, "items"), above)
        return None if inner is None else _Node(at, frozenset(), {}, inner)
    return None
