"""The content breaks the schema of `response_format`.

An error when the request says `strict`, which promises that it never does. Else a note: the model is free to err, and
OpenAI's does. A schema is held as far as that is safe: not when it refers to other documents, nor when it is so
entangled that holding it would take too long.

## Why it matters
The schema is what the reader of the content is generated from. Where a server takes the format and drops the schema,
the content is JSON and still none that the reader can use.

## What to do
* As a server's author: Compile the schema to a grammar when it is `strict`, or refuse with 400 what you cannot compile.
  Dropping the schema and keeping the JSON is what callers notice last.
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

import orjson

from isogloss.validator.findings import Severity
from isogloss.validator.foreign_schemas import Budget, ForeignSchema, read
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pair._formatted import formatted, response_format
from isogloss.validator.rules.pairing import Pair
from isogloss.validator.views import obj

__all__ = ["RULE", "check"]

RULE = Rule(
    name="content-off-schema",
    severity=Severity.NOTE,
    summary="The content breaks the schema of `response_format`.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: response_format, json_schema, strict", "2026-04"),
        Citation("recorded OpenAI answers: the schema kept where it is strict, broken in 2 where it is not", "2026-08"),
    ),
    needs=("completion", "response schema"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for each JSON content that the schema of the request rejects."""
    asked = obj(response_format(pair).get("json_schema")) or {}
    schema = read(asked.get("schema"))
    if response_format(pair).get("type") != "json_schema" or not isinstance(schema, ForeignSchema):
        return
    severity = Severity.ERROR if asked.get("strict") is True else None
    budget = Budget()
    for at, text in formatted(pair):
        try:
            value = orjson.loads(text.encode("utf-8", "surrogatepass"))
        except orjson.JSONDecodeError:
            continue
        mismatch = schema.mismatch(value, budget)
        if mismatch is not None:
            yield Hit(f"the content breaks {mismatch} of the response format", at, text, severity=severity)
