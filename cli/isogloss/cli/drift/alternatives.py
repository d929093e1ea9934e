"""The alternatives of a JSON Schema: a schema of one type for each type and each kind of object that it allows.

References, unions, ``allOf`` and the conditions that the reference is written with (by type, or by the value of one
property) are resolved; conditions of another form are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from isogloss.cli.drift.described import Unreadable
from isogloss.schemas.references import resolved

__all__ = ["TYPES", "Node", "Schema", "alternatives", "keyword"]

Schema: TypeAlias = Mapping[str, Any]
Node: TypeAlias = tuple[Schema, Any]
"""A schema and the document in which its references are resolved."""

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_OF_TYPE = {"properties": "object", "additionalProperties": "object", "items": "array", "pattern": "string"}


def keyword(schema: Schema, name: str, kind: type[Any]) -> Any:
    """Return the value of a keyword, or an empty one. Raises :class:`Unreadable` if it has another type."""
    value = schema.get(name, kind())
    if not isinstance(value, kind):
        raise Unreadable(f"the value of {name!r} is no {'list' if kind is list else 'object'}: {value!r:.60}")
    return value


def alternatives(schema: object, document: Any, within: tuple[str, ...] = ()) -> Iterator[Node]:
    """Yield a schema of a single type for each type and each kind of object that a schema allows."""
    if not isinstance(schema, Mapping):
        schema = {}
    parts: list[list[Node]] = []
    rest = {name: value for name, value in schema.items() if name not in ("$ref", "allOf", "anyOf", "oneOf")}
    if "$ref" in schema:
        reference = schema["$ref"]
        parts.append(list(alternatives(_target(reference, document, within), document, (*within, reference))))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            branches = keyword(schema, union, list)
            parts.append([one for branch in branches for one in alternatives(branch, document, within)])
    branches = [one for one in keyword(schema, "allOf", list) if isinstance(one, Mapping)]
    parts += [list(alternatives(branch, document, within)) for branch in branches if "if" not in branch]
    parts.append([(one, document) for one in _typed(rest)])
    whole = parts[0]
    for part in parts[1:]:
        whole = [both for left in whole for right in part if (both := _merged(left, right))]
    if schema.get("nullable"):
        whole = [*whole, ({"type": "null"}, document)]
    conditions = [one for one in (*branches, schema) if isinstance(one.get("if"), Mapping) and "then" in one]
    yield from _conditioned(whole, conditions, document)


def _target(reference: object, document: Any, within: tuple[str, ...]) -> object:
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise Unreadable(f"a reference that leads out of the document: {reference!r:.80}")
    if reference in within:
        raise Unreadable(f"a reference that leads to itself: {reference}")
    try:
        return resolved(document, reference)
    except LookupError as error:
        raise Unreadable(f"a reference that leads nowhere: {reference}") from error


def _typed(schema: Schema) -> Iterator[Schema]:
    """Yield the schema once for each of its types."""
    types = schema.get("type")
    if types is not None:
        types = [one for one in (types if isinstance(types, list) else [types]) if isinstance(one, str)]
    elif "enum" in schema or "const" in schema:
        types = sorted({_type(value) for value in keyword(schema, "enum", list) or [schema.get("const")]})
    else:
        types = next(([kind] for mark, kind in _OF_TYPE.items() if mark in schema), list(TYPES))
    for name in types:
        if name != "null" or "enum" not in schema or None in keyword(schema, "enum", list):
            yield {**schema, "type": name}


def _type(value: object) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def _merged(left: Node, right: Node) -> Node | None:
    """Return a schema with the keywords of both, or ``None`` if their types differ.

    ``integer`` and ``number`` together are ``integer``. If both have the same property or bound, the second counts.
    """
    (one, document), (other, _) = left, right
    types = {one["type"], other["type"]}
    if len(types) > 1 and types != {"integer", "number"}:
        return None
    both = {**one, **other, "type": "integer" if len(types) > 1 else one["type"]}
    for name in ("required", "x-documented-required"):
        if name in one or name in other:
            both[name] = [*keyword(one, name, list), *keyword(other, name, list)]
    if "properties" in one and "properties" in other:
        both["properties"] = {**keyword(one, "properties", dict), **keyword(other, "properties", dict)}
    return both, document


def _conditioned(nodes: list[Node], branches: list[Schema], document: Any) -> Iterator[Node]:
    """Yield the alternatives with the conditions applied.

    If there are conditions on the value of a property, an object becomes one alternative for each of them. Otherwise an
    alternative is merged with the condition on its type, if there is one.
    """
    by_name = [one for one in branches if _named(one["if"])]
    by_type = {str(one["if"]["type"]): one for one in branches if one["if"].keys() == {"type"}}
    for node in nodes:
        kind = node[0]["type"]
        if kind == "object" and by_name:
            for branch in by_name:
                yield from _all_merged(node, branch["then"], document)
        elif kind in by_type:
            yield from _all_merged(node, by_type[kind]["then"], document)
        else:
            yield node


def _all_merged(node: Node, schema: Schema, document: Any) -> Iterator[Node]:
    for other in alternatives(schema, document):
        both = _merged(node, other)
        if both is not None:
            yield both


def _named(condition: Schema) -> bool:
    properties = keyword(condition, "properties", dict)
    return len(properties) == 1 and all("const" in value for value in properties.values() if isinstance(value, Mapping))
