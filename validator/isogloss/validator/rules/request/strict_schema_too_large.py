"""A strict schema exceeds a limit of strict mode.

OpenAI's guide allows 5,000 properties, 10 levels of nested objects, 1,000 values of enumerations, 120,000 characters of
names and values, and 15,000 characters in one enumeration of more than 250 strings. The root is not counted as a level
here, since the guide does not say. Parts that are referred to count once.

## Why it matters
The request is refused. A schema that is made from data, such as an enumeration of all customers, works until the data
have grown.

## What to do
* As a server's author: Document the limits of your grammar compiler, and refuse a larger schema with status 400 and the
  limit that it exceeds.
* As a client's user: Split the schema into several requests, or replace a long enumeration by a string that your
  program looks up.

## Bad
A strict schema with an `enum` of 1,001 values.

## Good
A strict schema with an `enum` of 1,000 values.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import strict_schemas, subschemas
from isogloss.validator.views import Json, Request, obj

__all__ = ["RULE", "check"]

RULE = Rule(
    name="strict-schema-too-large",
    severity=Severity.WARNING,
    summary="A strict schema exceeds a limit of strict mode.",
    since="0.1.0",
    sources=(Citation("Structured Outputs guide, supported schemas: limits of nesting and size", "2026-10"),),
    needs=("strict schema",),
)

_PROPERTIES = 5_000
_LEVELS = 10
_ENUM_VALUES = 1_000
_CHARACTERS = 120_000
_LONG_ENUM = 250
_ENUM_CHARACTERS = 15_000


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each limit that a strict schema exceeds."""
    for at, schema in strict_schemas(request):
        if schema is not None:
            yield from _check_schema(at, schema)


def _check_schema(at: Pointer, schema: Json) -> Iterator[Hit]:
    properties = values = characters = 0
    deepest: Pointer = at
    for pointer, part in subschemas(schema, at):
        named = [*(obj(part.get("properties")) or ()), *(obj(part.get("$defs")) or ())]
        properties += len(obj(part.get("properties")) or ())
        enum = part.get("enum")
        words = [word for word in enum if isinstance(word, str)] if isinstance(enum, list) else []
        values += len(enum) if isinstance(enum, list) else 0
        const = part.get("const")
        length = sum(map(len, words))
        characters += sum(map(len, named)) + length + (len(const) if isinstance(const, str) else 0)
        if len(words) > _LONG_ENUM and length > _ENUM_CHARACTERS:
            yield Hit(_message("characters in an enumeration", length, _ENUM_CHARACTERS), (*pointer, "enum"), enum)
        if "properties" in part and _levels(pointer, at) > _levels(deepest, at):
            deepest = pointer
    for what, count, limit in (
        ("properties", properties, _PROPERTIES),
        ("values of enumerations", values, _ENUM_VALUES),
        ("characters of names and values", characters, _CHARACTERS),
    ):
        if count > limit:
            yield Hit(_message(what, count, limit), at, schema)
    if (levels := _levels(deepest, at)) > _LEVELS:
        yield Hit(_message("levels of nested objects", levels, _LEVELS), deepest)


def _levels(pointer: Pointer, root: Pointer) -> int:
    """Return in how many objects the part at a pointer stands. A property may be named like a keyword."""
    levels, step = 0, len(root)
    while step < len(pointer):
        levels += pointer[step] == "properties"
        step += 1 if pointer[step] == "items" else 2
    return levels


def _message(what: str, count: int, limit: int) -> str:
    return f"{count:,} {what}, more than the {limit:,} of strict mode"
