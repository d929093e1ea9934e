"""A strict schema does not describe an object.

The root of the schema must have the type `object`, and must not be a choice (`anyOf`). Inside it, everything that
strict mode supports is allowed.

## Why it matters
OpenAI answers 400.

## What to do
* As a server's author: Answer 400, as OpenAI does, if your decoder cannot handle another root either; otherwise
  document the extension.
* As a client's user: Wrap the schema in an object with one property, such as `items`, and unwrap the result.

## Bad
```json
{"type": "array", "items": {"type": "string"}}
```

## Good
```json
{"type": "object", "properties": {"cities": {"type": "array", "items": {"type": "string"}}}, "required": ["cities"],
 "additionalProperties": false}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import strict_schemas
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("guide on structured outputs, supported schemas", "2025-09"),
        Citation("recorded requests that OpenAI answered: an object in all 441 strict schemas", "2026-08"),
    ),
    needs=("strict schema",),
    replaces=("response-schema-invalid", "tool-schema-invalid"),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each strict schema whose root is a choice (`anyOf`) or does not have the type `object`.

    A root that is a reference is not checked.
    """
    for at, schema in strict_schemas(request):
        if schema is None or "$ref" in schema:
            continue
        if "anyOf" in schema:
            yield Hit(
                "strict mode requires an object at the root, not a choice", (*at, "anyOf"), schema["anyOf"], key=True
            )
        elif schema.get("type") != "object":
            yield Hit("strict mode requires the type object at the root", (*at, "type"), schema.get("type", ABSENT))
