"""A part of a strict schema does not say its type.

Strict mode needs a `type` in each schema of a property, an item or a choice of `anyOf`. A reference, `anyOf`, `enum` or
`const` says enough, too.

## Why it matters
OpenAI refuses the request (400, "schema must have a 'type' key."). A schema that allows everything, such as `{}`, has
no grammar that the model could be held to.

## What to do
* As a server's author: Refuse such a schema and name the place, or document that it allows any JSON value.
* As a client's user: Replace `Any` or `unknown` by the types that you expect, or make the tool not strict. A string
  that holds JSON can carry any value.

## Bad
```json
{"type": "object", "properties": {"value": {"description": "any value"}}, "required": ["value"],
 "additionalProperties": false}
```

## Good
```json
{"type": "object", "properties": {"value": {"type": ["string", "number", "null"], "description": "a value"}},
 "required": ["value"], "additionalProperties": false}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import parts_by_strict_schema
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("can1357/oh-my-pi#211: schema must have a 'type' key, of empty items", "2026-02"),
        Citation("weave-os/router#669: the same of an empty schema in anyOf, and enum needs no type", "2026-07"),
        Citation("recorded requests that OpenAI answered: none of these", "2026-11"),
    ),
    needs=("strict schema",),
    of_options=True,
)

_SAYING_ENOUGH = frozenset({
    "type", "$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "enum", "const", "properties", "items",
})  # fmt: skip


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each part of a strict schema that nothing is said about. Another rule reads the root."""
    for _, *parts in parts_by_strict_schema(request):
        for at, part in parts:
            if _SAYING_ENOUGH.isdisjoint(part):
                yield Hit("strict mode requires each schema to say its type", (*at, "type"))
