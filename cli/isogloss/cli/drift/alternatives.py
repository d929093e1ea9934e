"""Split a JSON Schema into alternatives: one schema for each type and each kind of object that it allows.

References, unions and ``allOf`` are resolved. Conditions are resolved if they have a form that the reference uses: by
type, or by the value of one property. Conditions of another form are left out.

What a reference leads to is split once. What unions in ``allOf`` allow together may still grow without bound, so a
document has a budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from isogloss.cli.drift.described import UnreadableSource, resolved
from isogloss.validator.quoting import json_type

__all__ = ["TYPES", "Document", "Node", "Schema", "alternatives", "keyword"]

Schema: TypeAlias = Mapping[str, Any]

_BUDGET = 5_000_000
"""How many items of schemas may be read or copied. OpenAI's own document (version 2.3.0, with streams) takes 18,601."""


class Document:
    """A document in which references are resolved, with the alternatives of what they lead to."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._split: dict[str, list[Node] | None] = {}  # by reference; None for one that is being split
        self._left = _BUDGET

    def target(self, reference: object) -> list[Node]:
        """Return the alternatives of what a reference leads to. Raises :class:`UnreadableSource`."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise UnreadableSource(f"a reference that leads out of the document: {reference!r:.80}")
        if reference not in self._split:
            self._split[reference] = None
            self._split[reference] = alternatives(resolved(self._value, reference), self)
        found = self._split[reference]
        if found is None:
            raise UnreadableSource(f"a reference that leads to itself: {reference}")
        return found

    def spend(self, schema: Schema) -> None:
        """Take a schema that is copied or read from the budget. Raises :class:`UnreadableSource` if it is spent."""
        self._left -= 1 + len(schema) + sum(len(value) for value in schema.values() if isinstance(value, list | dict))
        if self._left < 0:
            raise UnreadableSource(
                "its schemas combine to more kinds of objects than can be compared: unions in an allOf multiply"
            )


Node: TypeAlias = tuple[Schema, Document]
"""A schema and the document in which its references are resolved."""

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_TYPE_OF_KEYWORD = {"properties": "object", "additionalProperties": "object", "items": "array", "pattern": "string"}


def keyword(schema: Schema, name: str, kind: type[Any]) -> Any:
    """Return the value of a keyword, or an empty one. Raises :class:`UnreadableSource` if it has another type."""
    value = schema.get(name, kind())
    if not isinstance(value, kind):
        raise UnreadableSource(f"the value of {name!r} is no {'list' if kind is list else 'object'}: {value!r:.60}")
    return value


def alternatives(schema: object, document: Document) -> list[Node]:
    """Return a schema of a single type for each type and each kind of object that a schema allows."""
    if not isinstance(schema, Mapping):
        schema = {}
    parts: list[list[Node]] = []
    rest = {name: value for name, value in schema.items() if name not in ("$ref", "allOf", "anyOf", "oneOf")}
    if "$ref" in schema:
        parts.append(document.target(schema["$ref"]))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            branches = keyword(schema, union, list)
            allowed = [node for branch in branches for node in alternatives(branch, document)]
            parts.append(list({id(node[0]): node for node in allowed}.values()))  # branches may name the same schema
    branches = [branch for branch in keyword(schema, "allOf", list) if isinstance(branch, Mapping)]
    parts += [alternatives(branch, document) for branch in branches if "if" not in branch]
    if rest or not parts:
        parts.append([(typed, document) for typed in _split_by_type(rest)])
    merged = parts[0]
    for part in parts[1:]:
        merged = [both for left in merged for right in part if (both := _merge(left, right))]
    if schema.get("nullable"):
        merged = [*merged, ({"type": "null"}, document)]
    conditions = [part for part in (*branches, schema) if isinstance(part.get("if"), Mapping) and "then" in part]
    found = []
    for node in _apply_conditions(merged, conditions, document):
        document.spend(node[0])
        found.append(node)
    return found


def _split_by_type(schema: Schema) -> Iterator[Schema]:
    """Yield the schema once for each of its types."""
    types = schema.get("type")
    if types is not None:
        types = [one for one in (types if isinstance(types, list) else [types]) if isinstance(one, str)]
    elif "enum" in schema or "const" in schema:
        types = sorted({json_type(value) for value in keyword(schema, "enum", list) or [schema.get("const")]})
    else:
        types = next(([kind] for name, kind in _TYPE_OF_KEYWORD.items() if name in schema), list(TYPES))
    for name in types:
        if name != "null" or "enum" not in schema or None in keyword(schema, "enum", list):
            yield {**schema, "type": name}


def _merge(left: Node, right: Node) -> Node | None:
    """Return a schema with the keywords of both, or ``None`` if their types differ.

    ``integer`` and ``number`` together are ``integer``. If both have the same property or bound, the second counts.
    """
    (first, document), (second, _) = left, right
    document.spend(first)
    document.spend(second)
    types = {first["type"], second["type"]}
    if len(types) > 1 and types != {"integer", "number"}:
        return None
    both = {**first, **second, "type": "integer" if len(types) > 1 else first["type"]}
    for name in ("required", "x-documented-required"):
        if name in first or name in second:
            both[name] = list(dict.fromkeys(map(str, (*keyword(first, name, list), *keyword(second, name, list)))))
    if "properties" in first and "properties" in second:
        both["properties"] = {**keyword(first, "properties", dict), **keyword(second, "properties", dict)}
    return both, document


def _apply_conditions(nodes: list[Node], conditions: list[Schema], document: Document) -> Iterator[Node]:
    """Yield the alternatives with the conditions applied.

    If there are conditions on the value of a property, an object becomes one alternative for each of them. Otherwise an
    alternative is merged with the condition on its type, if there is one.
    """
    by_value = [condition for condition in conditions if _is_by_value(condition["if"])]
    by_type = {
        str(condition["if"]["type"]): condition for condition in conditions if condition["if"].keys() == {"type"}
    }
    for node in nodes:
        kind = node[0]["type"]
        if kind == "object" and by_value:
            for condition in by_value:
                yield from _merge_all(node, condition["then"], document)
        elif kind in by_type:
            yield from _merge_all(node, by_type[kind]["then"], document)
        else:
            yield node


def _merge_all(node: Node, schema: Schema, document: Document) -> Iterator[Node]:
    for other in alternatives(schema, document):
        merged = _merge(node, other)
        if merged is not None:
            yield merged


def _is_by_value(condition: Schema) -> bool:
    properties = keyword(condition, "properties", dict)
    return len(properties) == 1 and all("const" in value for value in properties.values() if isinstance(value, Mapping))
