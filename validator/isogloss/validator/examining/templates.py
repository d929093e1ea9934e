"""Templates: a JSON Schema of exactly those payloads that violate the reference as a given payload does.

The reference is followed along the places of the violations. There, each violated constraint is replaced by one that
demands the same violation: a missing property stays missing, an unknown one keeps its type, a null stays null, an
unknown value stays that value. Everywhere else the reference's own constraints stay. So a payload satisfies the
template only if it has the same violations at the same places, which are reported in the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from isogloss.schemas.references import resolved, steps
from isogloss.schemas.variants import map_subschemas
from isogloss.validator.engines import SchemaError
from isogloss.validator.pointer import Pointer

__all__ = ["Document", "template"]

_Schema: TypeAlias = Any
_Holds: TypeAlias = Callable[[Pointer, object], bool]

_ANNOTATIONS = frozenset({"$schema", "$id", "$comment", "title", "description", "deprecated", "default"})
_MOST_ITEMS = 64
"""Items of an array with violations; a longer array makes no template."""

_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    type(None): "null",
    dict: "object",
    list: "array",
}
_FIXED_BY_VALUE = frozenset({"enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_FIXED_BY_LENGTH = {"minLength": "Length", "maxLength": "Length", "minItems": "Items", "maxItems": "Items"}
_OF_PARTS = frozenset({"properties", "required", "additionalProperties", "items", "allOf", "if", "then", "else"})


class _NoTemplate(Exception):
    """The violations depend on more than a template can demand."""


def template(
    document: Document, payload: object, errors: Sequence[SchemaError], holds: _Holds
) -> dict[str, Any] | None:
    """Return a schema of the payloads with exactly these errors, or ``None`` if a schema cannot express this.

    ``document`` is the schema that ``payload`` violates, and ``errors`` are all its violations. ``holds`` tests whether
    a value satisfies the condition (``if``) at a place of the document.
    """
    builder = _Builder(document, errors, holds)
    try:
        schema = builder.same(document.schema, (), payload, ())
    except _NoTemplate:
        return None
    if builder.left:
        return None
    return {**schema, "$defs": document.needed(schema)}


class _Builder:
    """Follows a schema along the places of the errors; takes each error off ``left`` where it replaces its keyword."""

    def __init__(self, document: Document, errors: Sequence[SchemaError], holds: _Holds) -> None:
        self._document = document
        self._holds = holds
        self._violated: dict[tuple[Pointer, Pointer], set[str]] = {}
        for error in errors:
            self._violated.setdefault((error.pointer, error.schema[:-1]), set()).add(error.keyword)
        self._on_the_way = {error.pointer[:depth] for error in errors for depth in range(len(error.pointer) + 1)}
        self.left = {(error.pointer, error.schema[:-1]) for error in errors}

    def same(self, schema: _Schema, at: Pointer, value: object, pointer: Pointer) -> _Schema:
        """Return the schema of the values that violate ``schema`` in the same way as ``value`` does.

        ``at`` is the place of the schema in the document, and ``pointer`` that of the value in the payload. Raises
        :class:`_NoTemplate` if the violations depend on more than a schema can demand.
        """
        if pointer not in self._on_the_way or not isinstance(schema, dict):
            return schema
        while "$ref" in schema:
            if schema.keys() != {"$ref"}:
                raise _NoTemplate
            at = tuple(steps(schema["$ref"]))
            schema = resolved(self._document.schema, schema["$ref"])
        violated = self._violated.get((pointer, at), set())
        self.left.discard((pointer, at))
        kept = {
            keyword: demand for keyword, demand in schema.items() if keyword not in _OF_PARTS and keyword != "$defs"
        }
        if "type" in violated:
            return self._mistyped(schema, value)
        for keyword in violated - _OF_PARTS:
            _demand(kept, keyword, value)
        if isinstance(value, dict):
            self._object(kept, schema, at, value, pointer, violated)
        elif isinstance(value, list):
            self._array(kept, schema, at, value, pointer)
        elif violated & _OF_PARTS:
            raise _NoTemplate
        kept["allOf"] = [
            *[
                self.same(part, (*at, "allOf", number), value, pointer)
                for number, part in enumerate(schema.get("allOf", ()))
            ],
            *self._branch(schema, at, value, pointer),
        ]
        return kept if kept["allOf"] else {keyword: demand for keyword, demand in kept.items() if keyword != "allOf"}

    def _mistyped(self, schema: Mapping[str, Any], value: object) -> _Schema:
        """Return the schema of the values of a wrong type: only the type counts, since only it is reported.

        Raises :class:`_NoTemplate` for a number, and for a container if the schema has demands on its parts: there,
        more than the type may count.
        """
        name = _TYPES.get(type(value))
        if name is None or name == "integer" or (isinstance(value, dict | list) and schema.keys() & _OF_PARTS):
            raise _NoTemplate
        return {"type": name}

    def _object(
        self,
        kept: dict[str, Any],
        schema: Mapping[str, Any],
        at: Pointer,
        value: dict[str, Any],
        pointer: Pointer,
        violated: set[str],
    ) -> None:
        known: Mapping[str, Any] = schema.get("properties", {})
        required = [name for name in schema.get("required", ()) if name in value]
        properties: dict[str, Any] = {}
        for name, part in known.items():
            inside = (*pointer, name)
            if name in value and inside in self._on_the_way:
                properties[name] = self.same(part, (*at, "properties", name), value[name], inside)
                required.append(name)
            elif name not in value and _large(part):
                properties[name] = False
            else:
                properties[name] = part
        properties |= {name: False for name in schema.get("required", ()) if name not in value}
        closed = schema.get("additionalProperties", True)
        for name, inner in value.items():
            if name in known:
                continue
            if closed is False:
                properties[name] = {"type": _TYPES.get(type(inner), "number")}
                required.append(name)
            elif closed is not True and (*pointer, name) in self._on_the_way:
                raise _NoTemplate
        kept |= {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
        if closed is not True:
            kept["additionalProperties"] = closed

    def _array(
        self, kept: dict[str, Any], schema: Mapping[str, Any], at: Pointer, value: list[Any], pointer: Pointer
    ) -> None:
        kept["type"] = "array"
        if "items" not in schema:
            return
        if len(value) > _MOST_ITEMS:
            raise _NoTemplate
        items = [
            self.same(schema["items"], (*at, "items"), item, (*pointer, position))
            for position, item in enumerate(value)
        ]
        kept |= {"minItems": len(items), "maxItems": len(items)}
        if items:
            alike = all(item == items[0] for item in items)
            kept |= {"items": items[0]} if alike else {"prefixItems": items}

    def _branch(self, schema: Mapping[str, Any], at: Pointer, value: object, pointer: Pointer) -> list[_Schema]:
        """Return the condition of the schema, negated if the value fails it, and the branch that applies to it.

        The list is empty if the schema has no condition.
        """
        if "if" not in schema:
            return []
        holds = self._holds((*at, "if"), value)
        taken = "then" if holds else "else"
        condition = schema["if"] if holds else {"not": schema["if"]}
        return [condition, self.same(schema.get(taken, True), (*at, taken), value, pointer)]


def _demand(kept: dict[str, Any], keyword: str, value: object) -> None:
    """Replace a violated keyword by keywords that demand the same violation.

    Raises :class:`_NoTemplate` if there are none.
    """
    if keyword == "pattern":
        kept["not"] = {"pattern": kept.pop("pattern")} if "not" not in kept else _refuse()
    elif keyword in _FIXED_BY_VALUE:
        if not isinstance(value, str | bool | None):  # 1 and 1.0 are equal, and reported in other words
            raise _NoTemplate
        for one in _FIXED_BY_VALUE:
            kept.pop(one, None)
        kept |= {"const": value, "type": _TYPES[type(value)]}
    elif keyword in _FIXED_BY_LENGTH and isinstance(value, str | list):
        unit = _FIXED_BY_LENGTH[keyword]
        kept |= {f"min{unit}": len(value), f"max{unit}": len(value)}
    else:
        raise _NoTemplate


def _refuse() -> Any:
    raise _NoTemplate


def _large(schema: _Schema) -> bool:
    """Return whether a schema has parts of its own: then a template leaves it out if its property is absent."""
    return isinstance(schema, dict) and not schema.keys().isdisjoint({"$ref", *_OF_PARTS})


class Document:
    """The self-contained schema of a kind without annotations, and which definitions each part of it refers to."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = _bare(schema)
        self.definitions: Mapping[str, Any] = self.schema.get("$defs", {})
        self._references: dict[int, frozenset[str]] = {}
        for part in (self.schema, *self.definitions.values()):
            self._collect(part)

    def _collect(self, part: object) -> frozenset[str]:
        """Return the names of the definitions that a part refers to directly, and remember them."""
        names: set[str] = set()
        if isinstance(part, dict):
            reference = part.get("$ref")
            if isinstance(reference, str):
                names.add(steps(reference)[-1])
            for name, inner in part.items():
                if name != "$defs":
                    names |= self._collect(inner)
        elif isinstance(part, list):
            for inner in part:
                names |= self._collect(inner)
        else:
            return frozenset()
        found = self._references[id(part)] = frozenset(names)
        return found

    def needed(self, part: object) -> dict[str, Any]:
        """Return the definitions that a schema refers to, directly or not.

        The schema must be made of parts of this document.
        """
        needed: dict[str, Any] = {}
        pending = self._names(part)
        while pending:
            name = pending.pop()
            if name not in needed:
                needed[name] = self.definitions[name]
                pending |= self._references[id(needed[name])]
        return needed

    def _names(self, part: object) -> set[str]:
        known = self._references.get(id(part))
        if known is not None:
            return set(known)
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        return {name for one in inner for name in self._names(one)}


def _bare(schema: Any) -> Any:
    """Return a schema without annotations. Properties stay, even if they have the name of an annotation."""
    if not isinstance(schema, dict):
        return schema
    return map_subschemas(
        schema, lambda part: {name: value for name, value in part.items() if name == "$defs" or not _says_nothing(name)}
    )


def _says_nothing(keyword: str) -> bool:
    return keyword in _ANNOTATIONS or keyword.startswith("x-")
