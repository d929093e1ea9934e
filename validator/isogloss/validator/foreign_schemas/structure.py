"""Analyse a foreign schema without running it: its draft, its references, and whether it can be used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from isogloss.schemas import references
from isogloss.validator.foreign_schemas.extent import extent
from isogloss.validator.nesting import values_in
from isogloss.validator.pointer import Pointer

__all__ = ["Structure", "resolve", "structure", "subschemas"]

_DRAFTS = {
    "json-schema.org/draft-04/schema": "Draft4Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
}
_NEWEST = "Draft202012Validator"

_KEYWORDS = {
    **dict.fromkeys(
        (
            "additionalItems",
            "additionalProperties",
            "contains",
            "items",
            "prefixItems",
            "propertyNames",
            "unevaluatedItems",
            "unevaluatedProperties",
        ),
        (True, False),
    ),
    **dict.fromkeys(("properties", "patternProperties"), (True, True)),
    **dict.fromkeys(("not", "if", "then", "else", "allOf", "anyOf", "oneOf"), (False, False)),
    **dict.fromkeys(("dependentSchemas", "dependencies"), (False, True)),
}
"""The keywords that hold schemas: whether these are for a child of the instance, and whether they have names."""
_DEFINITION_KEYWORDS = ("$defs", "definitions")


class Structure(NamedTuple):
    """The structure of a schema.

    ``draft`` is the name of the validator class in both libraries. ``patterned`` says whether the schema has regular
    expressions. ``dangling`` is the pointer of a reference to something that does not exist.
    """

    draft: str
    patterned: bool
    dangling: Pointer | None


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[Pointer, Any, bool]]:
    """Yield the schemas directly in a schema, each with its pointer and whether it is of a child of the instance.

    Subschemas in ``$defs`` are left out: they apply only where they are referred to.
    """
    for keyword, value in schema.items():
        applies_to = _KEYWORDS.get(keyword)
        if applies_to is None:
            continue
        child, by_name = applies_to
        if by_name:
            if isinstance(value, dict):
                for name, item in value.items():
                    yield (keyword, name), item, child
        elif isinstance(value, list):
            for position, item in enumerate(value):
                yield (keyword, position), item, child
        else:
            yield (keyword,), value, child


def structure(document: dict[str, Any]) -> Structure | None:
    """Return the structure of a schema, or ``None`` if the schema is not used.

    A schema is not used if it is too large or too deep. It is not used, either, if it has a reference to another
    document, a reference by an anchor, or one with a target that depends on the path (``$dynamicRef``). The same holds
    if a subschema has ``$id``, which changes the base of all references in it.
    """
    size = extent(document)
    if size is None:
        return None
    metaschema = document.get("$schema")
    draft = _DRAFTS.get(metaschema.partition("://")[2].rstrip("#"), _NEWEST) if isinstance(metaschema, str) else _NEWEST
    references_found: list[tuple[Pointer, str]] = []
    pending: list[tuple[Pointer, Any]] = [((), document)]
    while pending:
        pointer, schema = pending.pop()
        if not isinstance(schema, dict):
            continue
        if "$dynamicRef" in schema or "$recursiveRef" in schema or (pointer and _moves_base(schema, draft)):
            return None
        if isinstance(schema.get("$ref"), str):
            references_found.append(((*pointer, "$ref"), schema["$ref"]))
        pending += [((*pointer, *step), inner) for step, inner, _ in subschemas(schema)]
        for keyword in _DEFINITION_KEYWORDS:
            if isinstance(definitions := schema.get(keyword), dict):
                pending += [((*pointer, keyword, name), inner) for name, inner in definitions.items()]
    if any(reference != "#" and not reference.startswith("#/") for _, reference in references_found):
        return None
    dangling = [pointer for pointer, reference in references_found if resolve(document, reference) is None]
    return Structure(
        draft, _has_patterns(document), min(dangling, key=lambda pointer: [*map(str, pointer)], default=None)
    )


def _moves_base(schema: dict[str, Any], draft: str) -> bool:
    return isinstance(schema.get("id" if draft == "Draft4Validator" else "$id"), str)


def resolve(document: dict[str, Any], reference: str) -> Any:
    """Return the value in the document that ``#`` or ``#/…`` refers to, or ``None`` if it does not exist."""
    try:
        return references.resolve(document, reference)
    except LookupError:
        return None


def _has_patterns(document: Any) -> bool:
    """Return whether any object in a document has ``pattern`` or ``patternProperties``.

    All objects are searched, since references can lead to objects anywhere.
    """
    objects = (one for one in values_in(document) if isinstance(one, dict))
    return any(isinstance(one.get("pattern"), str) or "patternProperties" in one for one in objects)
