"""A strict schema leaves an object open.

Strict mode accepts a subset of JSON Schema, in which every object has `"additionalProperties": false`. A strict
function without `parameters` counts as an object that lacks it.

## Why it matters
OpenAI answers 400. Servers that accept the schema may let the model add properties of its own.

## What to do
* As a server's author: Answer 400 and name the object, or treat every object of a strict schema as closed, and say so
  in your documentation.
* As a client's user: Add `"additionalProperties": false` to every object of the schema, nested ones and definitions
  included; the libraries of OpenAI do it for you when they make the schema from a type.

## Bad
```json
{"type": "function", "function": {"name": "get_weather", "strict": true, "parameters":
  {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
```

## Good
```json
{"type": "function", "function": {"name": "get_weather", "strict": true, "parameters":
  {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false}}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import allows, parts_of_strict_schemas, strict_schemas
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("guide on structured outputs, supported schemas", "2025-09"),
        Citation(
            "recorded refusals of OpenAI: 'additionalProperties' is required to be supplied and to be false", "2026-08"
        ),
    ),
    needs=("strict schema",),
    replaces=("response-schema-invalid", "tool-schema-invalid"),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each object schema whose `additionalProperties` is not false.

    Also yield a hit for each strict function without parameters.
    """
    for at, schema in strict_schemas(request):
        if schema is None:
            yield Hit("strict mode requires `parameters`", at)
    for at, part in parts_of_strict_schemas(request):
        is_object = allows(part, "object") or isinstance(part.get("properties"), dict)
        if is_object and part.get("additionalProperties") is not False:
            value = part.get("additionalProperties", ABSENT)
            yield Hit("strict mode requires `additionalProperties` to be false", (*at, "additionalProperties"), value)
