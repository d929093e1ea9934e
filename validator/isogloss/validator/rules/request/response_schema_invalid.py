"""The schema of `response_format` is missing, or is not a valid JSON Schema.

The schema is checked against the draft that it names, or against 2020-12 if it names none. A reference to something
that is not in the schema is invalid as well. Regular expressions are not checked, nor are schemas that refer to other
documents. The reference does not require the schema, but OpenAI's API for assistants does ("Missing required parameter:
'response_format.json_schema.schema'.").

## Why it matters
OpenAI refuses an invalid schema. Servers that accept it turn it into a grammar, or into words for the model. Nobody
knows what happens to the part that is wrong.

## What to do
* As a server's author: Validate the schema when the request arrives, and answer 400 with the place of the fault.
* As a client's user: Correct the schema at the place of the finding. It is better to generate it from a type (Pydantic,
  Zod) than to write it by hand.

## Bad
```json
{"type": "json_schema", "json_schema": {"name": "city", "schema": {"properties": {"name": {"type": "str"}}}}}
```

## Good
```json
{"type": "json_schema", "json_schema": {"name": "city", "schema": {"properties": {"name": {"type": "string"}}}}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.foreign_schemas import Defect, read
from isogloss.validator.pointer import follow
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: response_format, json_schema, schema", "2026-04"),
        Citation("openai/openai-python#1869: response_format.json_schema.schema is required, of assistants", "2024-11"),
        Citation("recorded requests that OpenAI answered: none lacks the schema", "2026-11"),
    ),
    needs=("response schema",),
    of_options=True,
)

_AT = ("response_format", "json_schema")


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the first pointer at which the schema of `response_format` is invalid."""
    json_schema = obj(request.response_format.get("json_schema"))
    if json_schema is None or request.response_format.get("type") != "json_schema":
        return
    if "schema" not in json_schema:
        yield Hit("schema is missing, though `type` asks for answers that follow it", (*_AT, "schema"))
    elif isinstance(schema := read(json_schema["schema"]), Defect):
        at = (*_AT, "schema", *schema.pointer)
        yield Hit(schema.message, at, follow(request.value, at))
