"""A strict schema has an optional property.

Strict mode accepts a subset of JSON Schema, in which all properties of an object are required. A property that may be
missing gets the type `null` in addition to its own.

## Why it matters
OpenAI answers 400: `required` has to include every key in `properties`.

## What to do
* As a server's author: Answer 400 and name the property, as OpenAI does; a grammar that allows optional properties
  should be offered without `strict`.
* As a client's user: List every property in `required`. Give those that may be missing a type such as `["string",
  "null"]`, and read null as missing afterwards.

## Bad
```json
{"type": "object", "properties": {"city": {"type": "string"}}, "required": [], "additionalProperties": false}
```

## Good
```json
{"type": "object", "properties": {"city": {"type": ["string", "null"]}}, "required": ["city"],
 "additionalProperties": false}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import parts_of_strict_schemas
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("guide on structured outputs, supported schemas", "2025-09"),
        Citation("openai (PyPI) 3.52.0, lib/_pydantic.py: all properties become required", "2026-11"),
    ),
    includes=("strict-property-optional",),
    needs=("strict schema",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each property of a strict schema that its object schema does not require.

    Where none is required, the first hit points to the others. A `required` that is no array is no valid schema.
    """
    for at, part in parts_of_strict_schemas(request):
        properties, required = part.get("properties"), part.get("required", [])
        if not isinstance(properties, dict) or not isinstance(required, list):
            continue
        required_names = {name for name in required if isinstance(name, str)}
        optional = [key for key in properties if key not in required_names]
        pointers = [(*at, "properties", key) for key in optional]
        for number, (key, pointer) in enumerate(zip(optional, pointers, strict=True)):
            message = "strict mode requires every property to be listed in `required`"
            others = () if required_names or number else tuple(pointers[1:])
            yield Hit(message, pointer, properties[key], key=True, other_pointers=others)
