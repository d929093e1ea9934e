"""Find the schemas of a request that strict mode compiles: those of function tools and of the response format."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Json, Request, obj

__all__ = ["allows", "parts_by_strict_schema", "parts_of_strict_schemas", "strict_schemas", "subschemas"]

_SCHEMA_MAPS = ("properties", "$defs", "definitions")
"""Keywords whose value is an object of schemas."""
_HOLDING_SCHEMAS = frozenset({*_SCHEMA_MAPS, "items", "anyOf"})


def strict_schemas(request: Request) -> Iterator[tuple[Pointer, Json | None]]:
    """Yield the pointer and the value of each schema that the model has to follow strictly.

    The value is ``None`` for a strict function without parameters.
    """
    for tool in request.tools:
        if tool.strict and tool.type == "function" and (tool.parameters is None or obj(tool.parameters) is not None):
            yield tool.parameters_at, obj(tool.parameters)
    wrapper = obj(request.response_format.get("json_schema")) or {}
    schema = obj(wrapper.get("schema"))
    if wrapper.get("strict") is True and schema is not None:
        yield ("response_format", "json_schema", "schema"), schema


@lru_cache(maxsize=1)
def parts_by_strict_schema(request: Request) -> list[list[tuple[Pointer, Json]]]:
    """Return, for each strict schema, its pointer and value, and those of all schemas in it that strict mode knows.

    Strict mode knows schemas of properties, definitions and items, and in `anyOf`.
    """
    return [list(subschemas(schema, at)) for at, schema in strict_schemas(request) if schema is not None]


def parts_of_strict_schemas(request: Request) -> Iterator[tuple[Pointer, Json]]:
    """Return the parts of all strict schemas together, as :func:`parts_by_strict_schema` finds them."""
    return chain.from_iterable(parts_by_strict_schema(request))


def subschemas(schema: Json, at: Pointer) -> Iterator[tuple[Pointer, Json]]:
    """Yield the pointer and the value of the schema, and of all schemas in it that strict mode knows.

    They come in no particular order. References are not followed.
    """
    pending = [(at, schema)]
    while pending:
        pointer, current = pending.pop()
        yield pointer, current
        if _HOLDING_SCHEMAS.isdisjoint(current):
            continue  # as most of them
        for name in _SCHEMA_MAPS:
            if name in current and isinstance(current[name], dict):
                at = (*pointer, name)
                pending += [((*at, key), value) for key, value in current[name].items() if isinstance(value, dict)]
        if "items" in current and isinstance(current["items"], dict):
            pending.append(((*pointer, "items"), current["items"]))
        if "anyOf" in current and isinstance(current["anyOf"], list):
            at = (*pointer, "anyOf")
            pending += [((*at, n), choice) for n, choice in enumerate(current["anyOf"]) if isinstance(choice, dict)]


def allows(schema: Json, kind: str) -> bool:
    """Return whether the schema names a type, alone or in a list of types."""
    types = schema.get("type")
    return types == kind or (isinstance(types, list) and kind in types)
