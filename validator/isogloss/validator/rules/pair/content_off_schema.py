r"""The content breaks the schema of `response_format`.

This is an error if the request sets `strict`, because that promises that the content always fits the schema. Otherwise
it is a note: the model may make mistakes, and OpenAI's models do. The rule skips a schema that refers to other
documents, or that is so complex that the validation would take too long.

## Why it matters
The code that reads the content is generated from the schema. If a server accepts the format and ignores the schema, the
content is JSON, but the reader cannot use it.

## What to do
* As a server's author: Compile the schema to a grammar when it is `strict`, or refuse with 400 what you cannot compile.
  Do not ignore the schema and send any JSON: callers notice that very late.
* As a client's user: Validate the content against your schema before you use it, and repeat the request with the
  validator's message if it fails. Set `strict` where the server supports it.

## Bad
```
{"response_format":{"type":"json_schema","json_schema":{"name":"city","strict":true,"schema":{"required":["name"],…}}},…}

{"message":{"role":"assistant","content":"{\"city\":\"Paris\"}"},"finish_reason":"stop"}
```

## Good
```
{"response_format":{"type":"json_schema","json_schema":{"name":"city","strict":true,"schema":{"required":["name"],…}}},…}

{"message":{"role":"assistant","content":"{\"name\":\"Paris\"}"},"finish_reason":"stop"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.foreign_schemas import ForeignSchema, WorkBudget, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pair._formatted import formatted
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import obj, parsed

RULE = Rule(
    severity=Severity.NOTE,
    lacks="text",
    sources=(
        Citation("API reference, create chat completion: response_format, json_schema, strict", "2026-04"),
        Citation("recorded OpenAI answers: the schema kept where it is strict, broken in 2 where it is not", "2026-08"),
    ),
    needs=("completion", "response schema"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each JSON content that the schema of the request rejects."""
    json_schema = obj(pair.request.response_format.get("json_schema")) or {}
    schema = read(json_schema.get("schema"))
    if pair.request.response_format.get("type") != "json_schema" or not isinstance(schema, ForeignSchema):
        return
    severity = Severity.ERROR if json_schema.get("strict") is True else None
    budget = WorkBudget()
    for at, text in formatted(pair):
        content = parsed(text)
        mismatch = None if content is None else schema.mismatch(content.value, budget)
        if mismatch is not None:
            yield Hit(f"the content breaks {mismatch} of the response format", at, text, severity=severity)
