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
from isogloss.validator.rules.request._strict_schemas import parts_by_strict_schema
from isogloss.validator.views import Json, Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("guide on structured outputs, supported schemas: limits of nesting and size", "2026-10"),),
    needs=("strict schema",),
    of_options=True,
)

_PROPERTIES = 5_000
_LEVELS = 10
_ENUM_VALUES = 1_000
_CHARACTERS = 120_000
_LONG_ENUM = 250
_ENUM_CHARACTERS = 15_000


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each limit that a strict schema exceeds."""
    for parts in parts_by_strict_schema(request):
        yield from _check_schema(parts)


def _check_schema(parts: list[tuple[Pointer, Json]]) -> Iterator[Hit]:
    """Yield a hit for each limit that a strict schema exceeds."""
    at, schema = parts[0]
    properties = values = characters = 0
    for pointer, part in parts:
        for keyword in ("properties", "$defs"):
            named = part.get(keyword)
            if isinstance(named, dict):
                properties += len(named) if keyword == "properties" else 0
                characters += sum(map(len, named))
        const, enum = part.get("const"), part.get("enum")
        if isinstance(const, str):
            characters += len(const)
        if isinstance(enum, list):
            words = [word for word in enum if isinstance(word, str)]
            length = sum(map(len, words))
            values += len(enum)
            characters += length
            if len(words) > _LONG_ENUM and length > _ENUM_CHARACTERS:
                yield Hit(_message("characters in an enumeration", length, _ENUM_CHARACTERS), (*pointer, "enum"), enum)
    for what, count, limit in (
        ("properties", properties, _PROPERTIES),
        ("values of enumerations", values, _ENUM_VALUES),
        ("characters of names and values", characters, _CHARACTERS),
    ):
        if count > limit:
            yield Hit(_message(what, count, limit), at, schema)
    deep = [pointer for pointer, part in parts if len(pointer) - len(at) > 2 * _LEVELS and "properties" in part]
    deepest = max(deep, key=lambda pointer: _levels(pointer, at), default=at)
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
