"""The `parameters` of a tool are not a valid JSON Schema.

They are checked against the draft that they name, or against 2020-12 if they name none. A reference to something that
is not in the schema is invalid as well. Regular expressions are not checked, nor are schemas that refer to other
documents.

## Why it matters
OpenAI refuses the request. Servers that accept it turn the schema into a grammar, or into words for the model. Nobody
knows what happens to the part that is wrong.

## What to do
* As a server's author: Validate `parameters` when the request arrives, and answer 400 with the place of the fault.
* As a client's user: Correct the schema at the place of the finding. It is better to generate it from the function's
  signature or from a type.

## Bad
```json
{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "str"}}}}
```

## Good
```json
{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.foreign_schemas import Defect, read
from isogloss.validator.pointer import follow
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("API reference, create chat completion: tools, function, parameters", "2026-04"),),
    needs=("tools",),
    of_options=True,
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each tool with invalid `parameters`, at the first pointer at which they are invalid."""
    for tool in request.declared.values():
        schema = read(tool.parameters)
        if isinstance(schema, Defect):
            at = (*tool.parameters_at, *schema.pointer)
            yield Hit(schema.message, at, follow(request.value, at))
