"""A strict schema requires a property that it does not describe.

## Why it matters
OpenAI refuses the request (400, "Extra required key 'x' supplied."). Elsewhere the model has to invent a value for a
property about which it knows only the name.

## What to do
* As a server's author: Compare `required` with `properties` when you compile a schema, and name the key that is left
  over.
* As a client's user: Describe the property in `properties`, or remove its name from `required`. Code that removes
  properties from a schema has to remove them from both.

## Bad
```json
{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city", "unit"],
 "additionalProperties": false}
```

## Good
```json
{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import parts_of_strict_schemas
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("akitaonrails/ai-memory#628: Extra required key 'relations' supplied", "2026-09"),
        Citation("recorded requests that OpenAI answered: none of these", "2026-11"),
    ),
    needs=("strict schema",),
    includes=("strict-property-optional",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each required name in a strict schema that its object schema has no property of.

    If it names as many as there are properties that are not required, these are meant, by other names.
    """
    for at, part in parts_of_strict_schemas(request):
        properties, required = part.get("properties"), part.get("required")
        if not isinstance(properties, dict) or not isinstance(required, list):
            continue
        unknown = [
            (position, name)
            for position, name in enumerate(required)
            if isinstance(name, str) and name not in properties
        ]
        if not unknown:
            continue
        required_names = {property_name for property_name in required if isinstance(property_name, str)}
        optional = [(*at, "properties", name) for name in properties if name not in required_names]
        is_by_name = len(optional) == len(unknown)
        for (position, name), meant in zip_longest(unknown, optional if is_by_name else ()):
            message = "`required` names a property that the schema does not have"
            yield Hit(message, (*at, "required", position), name, other_pointers=(meant,) if is_by_name else ())
