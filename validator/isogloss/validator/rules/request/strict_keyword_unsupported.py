"""A strict schema uses a keyword that strict mode does not support.

Of the keywords that combine schemas, strict mode supports only `anyOf`. It does not support `allOf`, `oneOf`, `not`,
`if` with `then` and `else`, `dependentRequired` and `dependentSchemas`.

## Why it matters
OpenAI answers 400: the keyword is not permitted.

## What to do
* As a server's author: Answer 400 and name the keyword, or document that you support it. Ignoring it breaks what
  `strict` promises.
* As a client's user: Rewrite the schema with `anyOf`: merge the parts of an `allOf` into one object, and replace
  `oneOf` by `anyOf`. Otherwise set `strict` to false and validate the result yourself.

## Bad
```json
{"oneOf": [{"type": "string"}, {"type": "null"}]}
```

## Good
```json
{"anyOf": [{"type": "string"}, {"type": "null"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import parts_of_strict_schemas
from isogloss.validator.views import Request

__all__ = ["RULE", "check"]

RULE = Rule(
    name="strict-keyword-unsupported",
    severity=Severity.ERROR,
    summary="A strict schema uses a keyword that strict mode does not support.",
    since="0.1.0",
    sources=(
        Citation("Structured Outputs guide, supported schemas", "2025-09"),
        Citation("https://community.openai.com/t/932422: 'oneOf' is not permitted", "2024-09"),
    ),
    needs=("strict schema",),
)

_UNSUPPORTED = ("allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each keyword in a strict schema that strict mode does not support."""
    for at, part in parts_of_strict_schemas(request):
        if part.keys().isdisjoint(_UNSUPPORTED):
            continue
        for keyword in _UNSUPPORTED:
            if keyword in part:
                message = f"strict mode does not support {quote_name(keyword)}"
                yield Hit(message, (*at, keyword), part[keyword], key=True)
