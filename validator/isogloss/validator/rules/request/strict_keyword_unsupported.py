"""A strict schema uses a keyword that strict mode does not support.

Of the keywords that combine schemas, strict mode supports only `anyOf`. It does not support `allOf`, `oneOf`, `not`,
`if` with `then` and `else`, `dependentRequired` and `dependentSchemas`, nor `uniqueItems` and `propertyNames`. Of the
formats of strings, it supports `date-time`, `time`, `date`, `duration`, `email`, `hostname`, `ipv4`, `ipv6` and `uuid`.
Beside `$ref`, there may be no other keyword. A regular expression in `pattern` may not look ahead or behind, as zod's
for mail addresses does; this is a warning, because the refusals that were quoted are of the Responses API. A fine-tuned
model (`ft:…`) supports no limits of strings, numbers, arrays and objects either, such as `pattern` or `maxItems`; this
is a warning, because no refusal was recorded.

## Why it matters
OpenAI answers 400: the keyword is not permitted.

## What to do
* As a server's author: Answer 400 and name the keyword, or document that you support it. Ignoring it breaks what
  `strict` promises.
* As a client's user: Rewrite the schema with `anyOf`: merge the parts of an `allOf` into one object, and replace
  `oneOf` by `anyOf`. Say in `description` what a keyword cannot say. Otherwise set `strict` to false and validate the
  result yourself.

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

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import quote_name, quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import allows, parts_of_strict_schemas
from isogloss.validator.views import Json, Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("guide on structured outputs, supported schemas", "2025-09"),
        Citation("https://community.openai.com/t/932422: 'oneOf' is not permitted", "2024-09"),
        Citation("guide on structured outputs, keywords that are not yet supported: uniqueItems", "2024-10"),
        Citation("can1357/oh-my-pi#209: 'propertyNames' is not permitted", "2026-02"),
        Citation("cyanheads/git-mcp-server#47: 'uri' is not a valid format", "2026-05"),
        Citation("guide on structured outputs, supported schemas: fine-tuned models", "2026-02"),
        Citation("vercel/ai#21037: regex lookaround is not supported, in a strict tool", "2026-09"),
        Citation("existential-birds/daydream#304: the same of a strict format", "2026-08"),
        Citation(
            "langchain-ai/langchainjs#11381: $ref cannot have keywords {'default', 'description', 'title'}", "2026-08"
        ),
    ),
    needs=("strict schema",),
    of_options=True,
)

_UNSUPPORTED = (
    "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "uniqueItems",
    "propertyNames",
)  # fmt: skip
_UNSUPPORTED_IF_TUNED = (
    "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf", "patternProperties",
    "unevaluatedProperties", "minProperties", "maxProperties", "unevaluatedItems", "contains", "minContains",
    "maxContains", "minItems", "maxItems",
)  # fmt: skip
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
_READ = frozenset({*_UNSUPPORTED, "format", "pattern", "$ref"})
_NO_GROUP = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?", re.DOTALL)
"""Where a parenthesis begins no group: an escaped character, and a set of characters, also one without an end."""
_LOOKAROUND = re.compile(r"\(\?<?[=!]")


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each keyword in a strict schema that strict mode does not support, or not with its value."""
    tuned = request.model.startswith("ft:")
    for at, part in parts_of_strict_schemas(request):
        if tuned:
            yield from _check_tuned(at, part)
        if part.keys().isdisjoint(_READ):
            continue
        for keyword in _UNSUPPORTED:
            if keyword in part:
                message = f"strict mode does not support {quote_name(keyword)}"
                yield Hit(message, (*at, keyword), part[keyword], key=True)
        form = part.get("format")
        if isinstance(form, str) and form not in _FORMATS and ("type" not in part or allows(part, "string")):
            yield Hit(f"strict mode does not support the format {quote_value(form)}", (*at, "format"), form)
        pattern = part.get("pattern")
        if isinstance(pattern, str) and not tuned and _LOOKAROUND.search(_NO_GROUP.sub("", pattern)):
            message = "strict mode does not support regular expressions that look ahead or behind"
            yield Hit(message, (*at, "pattern"), pattern, severity=Severity.WARNING)
        if "$ref" in part and (others := part.keys() - {"$ref", "$defs", "definitions"}):
            first = next(keyword for keyword in part if keyword in others)
            message = f"strict mode allows no keyword beside `$ref`, such as {quote_name(first)}"
            yield Hit(message, (*at, first), part[first], key=True)


def _check_tuned(at: Pointer, part: Json) -> Iterator[Hit]:
    for keyword in _UNSUPPORTED_IF_TUNED:
        if keyword in part:
            message = f"strict mode of a fine-tuned model does not support {quote_name(keyword)}"
            yield Hit(message, (*at, keyword), part[keyword], key=True, severity=Severity.WARNING)
