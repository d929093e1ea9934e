"""Make templates: a JSON Schema of exactly those payloads that violate the reference as a given payload does.

The module follows the reference along the pointers of the violations. There it replaces each violated constraint by one
that demands the same violation: a missing property stays missing, an unknown property stays there, a null stays null,
an unknown value stays that value. Everywhere else the constraints of the reference stay. So a payload satisfies the
template only if it has the same violations at the same pointers, and their messages are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from isogloss import schemas
from isogloss.schemas.references import resolve, steps
from isogloss.schemas.variants import map_subschemas
from isogloss.validator.engines import SchemaError, predicate
from isogloss.validator.pointer import Pointer, follow

__all__ = ["SchemaDocument", "template", "template_of"]

_Schema: TypeAlias = Any
_ConditionTest: TypeAlias = Callable[[Pointer, object], bool]

_ANNOTATIONS = frozenset({"$schema", "$id", "$comment", "title", "description", "deprecated", "default"})
_MOST_ITEMS = 64
"""The most items of an array with violations. No template is made for a longer array."""

_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    type(None): "null",
    dict: "object",
    list: "array",
}
_FIXED_BY_LENGTH = {"minLength": "Length", "maxLength": "Length", "minItems": "Items", "maxItems": "Items"}
_KEYWORDS_OF_PARTS = frozenset(
    {"properties", "required", "additionalProperties", "items", "allOf", "if", "then", "else"}
)


class _NoTemplate(Exception):
    """Raised if the violations depend on more than a template can demand."""


def template(
    document: SchemaDocument, payload: object, errors: Sequence[SchemaError], holds: _ConditionTest
) -> dict[str, Any] | None:
    """Return a schema of the payloads with exactly these errors, or ``None`` if a schema cannot express this.

    ``document`` is the schema that ``payload`` violates, and ``errors`` are all its violations. ``holds`` tests whether
    a value satisfies the condition (``if``) at a pointer of the document.
    """
    builder = _Builder(document, errors, holds)
    try:
        schema = builder.violated_likewise(document.schema, (), payload, ())
    except _NoTemplate:
        return None
    if builder.unhandled:
        return None
    return {**schema, "$defs": document.needed(schema)}


def template_of(kind: str, payload: object, errors: Sequence[SchemaError]) -> dict[str, Any] | None:
    """Return :func:`template` for a payload of a kind that violates the reference."""
    return template(_document(kind), payload, errors, _condition(kind))


@cache
def _document(kind: str) -> SchemaDocument:
    return SchemaDocument(schemas.validation_document(kind))


@cache
def _condition(kind: str) -> Callable[[Pointer, object], bool]:
    """Return a function that tests whether a value satisfies the schema at a pointer of a kind's document."""
    document = _document(kind)

    @cache
    def compiled(at: Pointer) -> Callable[[object], bool]:
        schema: Any = follow(document.schema, at)
        return predicate({**schema, "$defs": document.needed(schema)})

    return lambda at, value: compiled(at)(value)


class _Builder:
    """Follows a schema along the pointers of the errors. Removes each error from ``unhandled`` when it handles it."""

    def __init__(self, document: SchemaDocument, errors: Sequence[SchemaError], holds: _ConditionTest) -> None:
        self._document = document
        self._holds = holds
        self._violated: dict[tuple[Pointer, Pointer], set[str]] = {}
        for error in errors:
            self._violated.setdefault((error.pointer, error.schema[:-1]), set()).add(error.keyword)
        self._enclosing_pointers = {
            error.pointer[:depth] for error in errors for depth in range(len(error.pointer) + 1)
        }
        self.unhandled = {(error.pointer, error.schema[:-1]) for error in errors}

    def violated_likewise(self, schema: _Schema, at: Pointer, value: object, pointer: Pointer) -> _Schema:
        """Return the schema of the values that violate ``schema`` in the same way as ``value`` does.

        ``at`` is the pointer of the schema in the document, and ``pointer`` that of the value in the payload. Raises
        :class:`_NoTemplate` if the violations depend on more than a schema can demand.
        """
        if pointer not in self._enclosing_pointers or not isinstance(schema, dict):
            return schema
        while "$ref" in schema:
            if schema.keys() != {"$ref"}:
                raise _NoTemplate
            at = tuple(steps(schema["$ref"]))
            schema = resolve(self._document.schema, schema["$ref"])
        violated = self._violated.get((pointer, at), set())
        self.unhandled.discard((pointer, at))
        kept = {
            keyword: demand
            for keyword, demand in schema.items()
            if keyword not in _KEYWORDS_OF_PARTS and keyword != "$defs"
        }
        if "type" in violated:
            return self._type_schema(schema, value)
        for keyword in violated - _KEYWORDS_OF_PARTS:
            _demand_violation(kept, keyword, value)
        if isinstance(value, dict):
            self._add_object_keywords(kept, schema, at, value, pointer)
        elif isinstance(value, list):
            self._add_array_keywords(kept, schema, at, value, pointer)
        kept["allOf"] = [
            *[
                self.violated_likewise(part, (*at, "allOf", number), value, pointer)
                for number, part in enumerate(schema.get("allOf", ()))
            ],
            *self._condition_and_branch(schema, at, value, pointer),
        ]
        return kept if kept["allOf"] else {keyword: demand for keyword, demand in kept.items() if keyword != "allOf"}

    def _type_schema(self, schema: Mapping[str, Any], value: object) -> _Schema:
        """Return the schema of the values of a wrong type: only the type counts, since only it is reported.

        Raises :class:`_NoTemplate` for a number, and for a container if the schema has demands on its parts: there,
        more than the type may count.
        """
        name = _TYPES.get(type(value))
        if name is None or name == "integer" or (isinstance(value, dict | list) and schema.keys() & _KEYWORDS_OF_PARTS):
            raise _NoTemplate
        return {"type": name}

    def _add_object_keywords(
        self,
        kept: dict[str, Any],
        schema: Mapping[str, Any],
        at: Pointer,
        value: dict[str, Any],
        pointer: Pointer,
    ) -> None:
        known_properties: Mapping[str, Any] = schema.get("properties", {})
        required = [name for name in schema.get("required", ()) if name in value]
        properties: dict[str, Any] = {}
        for name, part in known_properties.items():
            inner_pointer = (*pointer, name)
            if name in value and inner_pointer in self._enclosing_pointers:
                properties[name] = self.violated_likewise(part, (*at, "properties", name), value[name], inner_pointer)
                required.append(name)
            elif name not in value and _has_parts(part):
                properties[name] = False
            else:
                properties[name] = part
        properties |= {name: False for name in schema.get("required", ()) if name not in value}
        additional = schema.get("additionalProperties", True)
        if additional is False:
            unknown = [name for name in value if name not in known_properties]
            properties |= dict.fromkeys(unknown, True)
            required += unknown
        kept |= {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
        if additional is not True:
            kept["additionalProperties"] = additional

    def _add_array_keywords(
        self, kept: dict[str, Any], schema: Mapping[str, Any], at: Pointer, value: list[Any], pointer: Pointer
    ) -> None:
        kept["type"] = "array"
        if "items" not in schema:
            return
        if len(value) > _MOST_ITEMS:
            raise _NoTemplate
        items = [
            self.violated_likewise(schema["items"], (*at, "items"), item, (*pointer, position))
            for position, item in enumerate(value)
        ]
        kept |= {"minItems": len(items), "maxItems": len(items)}
        if items:
            all_equal = all(item == items[0] for item in items)
            kept |= {"items": items[0]} if all_equal else {"prefixItems": items}

    def _condition_and_branch(
        self, schema: Mapping[str, Any], at: Pointer, value: object, pointer: Pointer
    ) -> list[_Schema]:
        """Return the condition of the schema, negated if the value fails it, and the branch that applies to it.

        The list is empty if the schema has no condition.
        """
        if "if" not in schema:
            return []
        holds = self._holds((*at, "if"), value)
        branch = "then" if holds else "else"
        condition = schema["if"] if holds else {"not": schema["if"]}
        return [condition, self.violated_likewise(schema.get(branch, True), (*at, branch), value, pointer)]


def _demand_violation(kept: dict[str, Any], keyword: str, value: object) -> None:
    """Replace a violated keyword by keywords that demand the same violation.

    Raises :class:`_NoTemplate` if there are none.
    """
    if keyword == "pattern":
        kept["not"] = {"pattern": kept.pop("pattern")}
    elif keyword in ("enum", "const"):
        if not isinstance(value, str | bool | None):  # 1 and 1.0 are equal, but their messages differ
            raise _NoTemplate
        kept.pop("enum", None)
        kept["const"] = value
    elif keyword in _FIXED_BY_LENGTH and isinstance(value, str | list):
        unit = _FIXED_BY_LENGTH[keyword]
        kept |= {"type": _TYPES[type(value)], f"min{unit}": len(value), f"max{unit}": len(value)}
    else:
        raise _NoTemplate


def _has_parts(schema: _Schema) -> bool:
    """Return whether a schema has parts of its own: then a template leaves it out if its property is absent."""
    return isinstance(schema, dict) and not schema.keys().isdisjoint({"$ref", *_KEYWORDS_OF_PARTS})


class SchemaDocument:
    """The self-contained schema of a kind without annotations. It knows which definitions each part refers to."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = _without_annotations(schema)
        self.definitions: Mapping[str, Any] = self.schema.get("$defs", {})
        self._references: dict[int, frozenset[str]] = {}
        self._collect(self.schema)

    def _collect(self, part: object) -> frozenset[str]:
        """Return the names of the definitions that a part refers to directly, and remember them."""
        names: set[str] = set()
        if isinstance(part, dict):
            reference = part.get("$ref")
            if isinstance(reference, str):
                names.add(steps(reference)[-1])
            for inner in part.values():
                names |= self._collect(inner)
        elif isinstance(part, list):
            for inner in part:
                names |= self._collect(inner)
        else:
            return frozenset()
        remembered = self._references[id(part)] = frozenset(names)
        return remembered

    def needed(self, part: object) -> dict[str, Any]:
        """Return the definitions that a schema refers to, directly or not.

        The schema must be made of parts of this document.
        """
        needed: dict[str, Any] = {}
        pending = self._names_in(part)
        while pending:
            name = pending.pop()
            if name not in needed:
                needed[name] = self.definitions[name]
                pending |= self._references[id(needed[name])]
        return needed

    def _names_in(self, part: object) -> set[str]:
        names: set[str] = set()
        pending = [part]
        while pending:
            inner = pending.pop()
            remembered = self._references.get(id(inner))
            if remembered is not None:
                names |= remembered
            elif isinstance(inner, dict):
                pending += inner.values()
            elif isinstance(inner, list):
                pending += inner
        return names


def _without_annotations(schema: Any) -> Any:
    """Return a schema without annotations. Properties stay, even if they have the name of an annotation."""
    return map_subschemas(
        schema,
        lambda part: {name: value for name, value in part.items() if not _is_annotation(name)},
    )


def _is_annotation(keyword: str) -> bool:
    return keyword in _ANNOTATIONS or keyword.startswith("x-")
