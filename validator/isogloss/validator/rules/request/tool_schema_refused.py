"""OpenAI refuses the `parameters` of a tool, although they are a valid JSON Schema.

They have to describe an object: the root has `"type": "object"` and `properties`, which may be empty. Beside them, the
root has no `oneOf`, `anyOf`, `allOf`, `enum` or `not`, which are allowed further inside. Each array has `items`. This
rule accepts empty `parameters` (`{}`), and a root with other keywords in place of `properties`. Other rules are about
the root of a strict schema.

## Why it matters
The whole request is refused (400, "Invalid schema for function"), also if the model would not have called the tool.
Other servers accept such tools, so MCP servers and frameworks that were tested only there use them.

## What to do
* As a server's author: Read a tool without properties as one without arguments, and an array without `items` as one
  of any values.
* As a client's user: Give the root a type and `properties`, and each array `items`, before you send the tools of
  others; `{}` stands for any item. Merge the choices at the root into one object, and say in the description which
  properties belong together.

## Bad
```json
{"name": "read_files", "parameters": {"type": "object", "properties": {"paths": {"type": "array"}}}}
```

## Good
```json
{"name": "read_files", "parameters": {"type": "object", "properties": {"paths": {"type": "array", "items": {}}}}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._strict_schemas import allows, subschemas
from isogloss.validator.views import Json, Request, Tool, obj

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("sigoden/aichat#1049: array schema missing items", "2024-12"),
        Citation("tidewave-ai/tidewave_phoenix#224: the same of a list of types with array", "2026-02"),
        Citation("browserbase/stagehand#1159: the schema must have the type object, and has none", "2025-10"),
        Citation("spring-projects/spring-ai#4776: object schema missing properties", "2025-10"),
        Citation("langchain-ai/langchainjs#9804: no oneOf, anyOf, allOf, enum or not at the top level", "2026-01"),
        Citation("chatanywhere/GPT_API_free#403: the same, also of a root that has the type object", "2025-06"),
        Citation("recorded requests that OpenAI answered: 956 tools and functions, and none of these", "2026-11"),
    ),
    needs=("tools",),
    replaces=("tool-schema-invalid",),
    of_options=True,
)


_SAYING_NOTHING = frozenset({"type", "title", "description", "required", "$schema", "$id", "$comment"})
"""Keywords of an object that say nothing about its properties."""

_NOT_AT_ROOT = ("oneOf", "anyOf", "allOf", "enum", "not")


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each root that is no plain object with properties, and for each array without items."""
    for tool in request.declared.values():
        schema = obj(tool.parameters)
        if not schema:
            continue
        yield from _at_root(tool, schema)
        for at, part in subschemas(schema, tool.parameters_at):
            if allows(part, "array") and "items" not in part:
                yield Hit("an array without `items`, which OpenAI refuses", (*at, "items"))


def _at_root(tool: Tool, schema: Json) -> Iterator[Hit]:
    kind = schema.get("type", ABSENT)
    if kind == "object":
        if schema.keys() <= _SAYING_NOTHING:
            yield Hit("an object without `properties`, which OpenAI refuses", (*tool.parameters_at, "properties"))
        for keyword in () if tool.strict or schema.keys().isdisjoint(_NOT_AT_ROOT) else _NOT_AT_ROOT:
            if keyword in schema:
                message = f"`{keyword}` at the root, which OpenAI refuses"
                yield Hit(message, (*tool.parameters_at, keyword), schema[keyword], key=True)
    elif not tool.strict and (kind is ABSENT or isinstance(kind, str)):
        yield Hit("no object at the root, which OpenAI requires", (*tool.parameters_at, "type"), kind)
