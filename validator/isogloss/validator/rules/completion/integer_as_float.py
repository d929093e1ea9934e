"""An integer is written with a fraction or an exponent.

An example is `1760000000.0` or `1.76e9` in the place of `1760000000`. The rule checks the integers of a completion,
such as `created` and the counts of `usage`, but not the bytes of tokens, of which there are many. The rule
`tool-call-index-float` checks the index of a call in a stream. For JSON Schema such a number is an integer, so no
schema rejects it. A number with a fraction that is not zero is a finding of `wrong-type`.

## Why it matters
Most languages have two types of number. Readers in Go, Rust, Java or C# that expect an integer reject the number, and
with it an answer that has to be paid for. Python reads it and writes it back the same way, so that it reaches the next
reader.

## Who breaks
SiYuan, written in Go, and modelbench on SambaNova
([siyuan-note/siyuan#14787](https://github.com/siyuan-note/siyuan/issues/14787),
[mlcommons/modelbench#1287](https://github.com/mlcommons/modelbench/issues/1287)); clients of an AnythingLLM endpoint
([Mintplex-Labs/anything-llm#2926](https://github.com/Mintplex-Labs/anything-llm/issues/2926)).

## What to do
* As a server's author: Keep these values in an integer type until they are serialised. They become floats in
  spreadsheets, in Lua, and in code that computes an average or divides.
* As a client's user: In typed languages, read the number as a double and convert it until the server is fixed. Do not
  write the value back in this form, or the next reader fails.

## Bad
```json
{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000.0}
```

## Good
```json
{"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from isogloss import schemas
from isogloss.schemas.references import resolve
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import quote_name, quote_value
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(12, 13),
    sources=(
        Citation("OpenAPI document openai/openai-openapi@f85dbe2: type integer for all of these", "2026-08"),
        Citation("JSON Schema draft 2020-12, Validation 6.1.1: a number with a zero fraction is an integer", "2022-06"),
        Citation("recorded OpenAI answers: written as integers in all of them", "2026-08"),
    ),
    needs=("float",),
)

_EACH = "[]"
"""The step of a path to each item of an array."""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each integer of the reference that is written as a float.

    Properties that a vendor adds are not checked: a duration may be a whole number of seconds.
    """
    for path in _integers():
        for at, number in _values(completion.value, path, ()):
            # An integer that does not fit in 64 bits is decoded as a float, too, in whatever form it is written.
            if type(number) is float and number.is_integer() and abs(number) < 2**63:
                name = next(step for step in reversed(path) if step != _EACH)
                yield Hit(f"{quote_name(name)} is an integer written as {quote_value(number)}", at, number)


@cache
def _integers() -> tuple[tuple[str, ...], ...]:
    """Return the paths of the integers in the schema of a completion, except of items of arrays."""
    document = schemas.validation_document("completion")
    return tuple(dict.fromkeys(_paths(document, document, ())))


def _paths(schema: dict[str, Any], document: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the integers in a schema that does not contain itself, except of items of arrays."""
    if "$ref" in schema:
        schema = resolve(document, schema["$ref"])
    if schema.get("type") == "integer":
        yield path
    for name, inner in schema.get("properties", {}).items():
        yield from _paths(inner, document, (*path, name))
    items = schema.get("items")
    if isinstance(items, dict) and items.get("type") != "integer":
        yield from _paths(items, document, (*path, _EACH))
    for branch in schema.get("allOf", ()):
        yield from _paths(branch.get("then", branch), document, path)


def _values(value: object, path: tuple[str, ...], at: Pointer) -> Iterator[tuple[Pointer, object]]:
    """Yield the values at a path, each with its pointer."""
    if not path:
        yield at, value
        return
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and step in value:
        yield from _values(value[step], rest, (*at, step))
    elif isinstance(value, list) and step == _EACH:
        for position, item in enumerate(value):
            yield from _values(item, rest, (*at, position))
