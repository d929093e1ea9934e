"""The content is JSON, but not an object, although `response_format` asks for an object.

## Why it matters
JSON mode promises an object. Clients look for its properties, and fail on an array, a string or a number.

## What to do
* As a server's author: Let the grammar of `json_object` begin with an object. Let the grammar of `json_schema` begin
  with the type of the schema's root.
* As a client's user: Check the type after parsing. Ask in the prompt for an object with a named property that holds the
  list or value.

## Bad
```json
{"request": {"response_format": {"type": "json_object"}}, "response": {"choices": [{"message": {"content": "[1, 2]"}}]}}
```

## Good
```json
{"request": {"response_format": {"type": "json_object"}}, "response": {"choices": [{"message": {"content": "{}"}}]}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import type_with_article
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pair._formatted import formatted
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import parsed

RULE = Rule(
    severity=Severity.ERROR,
    lacks="text",
    sources=(
        Citation("API reference, create chat completion: response_format, json_object", "2026-04"),
        Citation("recorded OpenAI answers: an object wherever json_object was asked for", "2026-08"),
    ),
    needs=("completion", "request for JSON"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each content that is JSON of another type, if the format is `json_object`."""
    if pair.request.response_format.get("type") != "json_object":
        return
    for at, text in formatted(pair):
        content = parsed(text)
        if content is not None and not isinstance(content.value, dict):
            found = type_with_article(content.value)
            yield Hit(f"the content is {found}, though the response format is json_object", at, text)
