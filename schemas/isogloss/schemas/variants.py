"""Turn the stored documents into the forms that are exported, and into the form that payloads are judged by.

The functions follow the structure of a schema, so that a *property* called ``required`` or ``x-severity`` never counts
as a keyword. No function changes its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from isogloss.schemas.references import steps

__all__ = [
    "VARIANTS", "Schema", "map_subschemas", "self_contained", "subschemas", "without_annotations",
]  # fmt: skip

Schema: TypeAlias = dict[str, Any]

_SCHEMA_KEYWORDS = frozenset(
    ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
)
_LIST_KEYWORDS = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_MAP_KEYWORDS = frozenset(("$defs", "dependentSchemas", "patternProperties", "properties"))

_VALUE_KEYWORDS = frozenset(
    ("const", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
)


def map_subschemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Return a copy of ``schema`` with ``change`` applied to it and every object subschema, inside out."""

    def inner(value: Any) -> Any:
        return map_subschemas(value, change) if isinstance(value, dict) else value

    copy: Schema = {}
    for keyword, value in schema.items():
        if keyword in _SCHEMA_KEYWORDS:
            copy[keyword] = inner(value)
        elif keyword in _LIST_KEYWORDS:
            copy[keyword] = [inner(item) for item in value]
        elif keyword in _MAP_KEYWORDS:
            copy[keyword] = {key: inner(item) for key, item in value.items()}
        else:
            copy[keyword] = value
    return change(copy)


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Yield ``schema`` and every object subschema in it, outside in."""
    yield schema
    for keyword, value in schema.items():
        inner: Sequence[Any] = ()
        if keyword in _SCHEMA_KEYWORDS:
            inner = (value,)
        elif keyword in _LIST_KEYWORDS:
            inner = value
        elif keyword in _MAP_KEYWORDS:
            inner = tuple(value.values())
        for item in inner:
            if isinstance(item, dict):
                yield from subschemas(item)


def self_contained(document: Schema, shared: Schema) -> Schema:
    """Return ``document`` with the definitions of ``shared`` that it refers to, even indirectly, copied in.

    References into ``shared`` become local ones. The names of the two documents' definitions must differ;
    ``ValueError`` otherwise.
    """
    prefix = f"{shared['$id']}#"

    def localise(schema: Schema) -> Schema:
        reference = schema.get("$ref", "")
        return {**schema, "$ref": "#" + reference.removeprefix(prefix)} if reference.startswith(prefix) else schema

    body = map_subschemas(document, localise)
    own_definitions = body.pop("$defs", {})
    if clash := own_definitions.keys() & shared["$defs"].keys():
        raise ValueError(f"defined twice: {', '.join(sorted(clash))}")
    definitions = {
        **own_definitions,
        **{name: map_subschemas(schema, localise) for name, schema in shared["$defs"].items()},
    }
    needed: dict[str, Schema] = {}
    pending = [body]
    while pending:
        for schema in subschemas(pending.pop()):
            name = steps(schema["$ref"])[1] if "$ref" in schema else ""
            if name and name not in needed:
                needed[name] = definitions[name]
                pending.append(definitions[name])
    if needed:
        body["$defs"] = {name: schema for name, schema in definitions.items() if name in needed}
    return body


def without_annotations(schema: Schema) -> Schema:
    """Return ``schema`` without ``x-`` keywords, which strict validators refuse, and without our own comments."""

    def bare(schema: Schema) -> Schema:
        return {
            keyword: value
            for keyword, value in schema.items()
            if not keyword.startswith("x-") and keyword != "$comment"
        }

    return map_subschemas(schema, bare)


def _reference(schema: Schema) -> Schema:
    return schema


def _open(schema: Schema) -> Schema:
    return map_subschemas(schema, lambda part: _loosened(part, "note"))


def _loosened(schema: Schema, *severities: str) -> Schema:
    """Return a schema that allows any property and, if other values are of these severities alone, any value."""
    dropped = set(_VALUE_KEYWORDS) if schema.get("x-severity") in severities else set()
    if schema.get("additionalProperties") is False:
        dropped.add("additionalProperties")
    return {keyword: value for keyword, value in schema.items() if keyword not in dropped}


def _strict(schema: Schema) -> Schema:
    def tighten(schema: Schema) -> Schema:
        documented = schema.get("x-documented-required", [])
        return {**schema, "required": [*schema.get("required", []), *documented]} if documented else schema

    return map_subschemas(schema, tighten)


def _errors(schema: Schema) -> Schema:
    def loosen(schema: Schema) -> Schema:
        kept = _loosened(schema, "note", "warning")
        if "x-null" in schema:
            kept["type"] = [schema["type"], "null"]
            if "enum" in kept:
                kept["enum"] = [*kept["enum"], None]
        return kept

    return map_subschemas(schema, loosen)


VARIANTS: Mapping[str, Callable[[Schema], Schema]] = {
    "reference": _reference,
    "open": _open,
    "errors": _errors,
    "strict": _strict,
}
"""For each variant, the function that makes it from a self-contained document."""
