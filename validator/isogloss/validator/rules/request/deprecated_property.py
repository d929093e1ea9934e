"""A request uses what the reference calls deprecated.

The reference schema of the request says which members these are (`"deprecated": true`), and what took their place. A
member that is null is as good as absent.

## Why it matters
Newer models refuse some of them already: reasoning models know no `max_tokens`. Nearly everywhere else they are
taken, so this is a note.

## Bad
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 100}
```

## Good
```json
{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 100}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from isogloss import schemas
from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

__all__ = ["RULE", "check"]

RULE = Rule(
    name="deprecated-property",
    severity=Severity.NOTE,
    summary="A request uses what the reference calls deprecated.",
    since="0.1.0",
    sources=(
        Citation("OpenAPI document, openai/openai-openapi@f85dbe2", "2026-08-21"),
        Citation("openai (PyPI) 3.52.0, generated types", "2026-11"),
    ),
)

_REPLACED = re.compile(r"replaced by (.+?)\.$")


def check(request: Request) -> Iterator[Hit]:
    """A hit on each member, and on each message by its role, that the request schema marks as deprecated."""
    yield from _used(schemas.judged("request"), request.value, ())


def _used(schema: dict[str, Any], value: object, at: Pointer) -> Iterator[Hit]:
    """What the value uses of the deprecated parts of a schema; follows the schema, so its depth is bounded."""
    schema = _resolved(schema)
    if isinstance(value, list) and "items" in schema:
        for position, item in enumerate(value):
            yield from _used(schema["items"], item, (*at, position))
    elif isinstance(value, dict):
        for key, part in schema.get("properties", {}).items():
            if value.get(key) is None:
                continue
            if part.get("deprecated"):
                yield Hit(_message(name(key), part), (*at, key), value[key], key=True)
            else:
                yield from _used(part, value[key], (*at, key))
        for branch in schema.get("allOf", ()):
            constants = _constants(branch.get("if", {}))
            if constants and all(value.get(key) == constant for key, constant in constants.items()):
                then = _resolved(branch["then"])
                if then.get("deprecated"):
                    key = next(iter(constants))
                    yield Hit(_message(f"the {key} {constants[key]}", then), (*at, key), value[key])
                else:
                    yield from _used(then, value, at)


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    definition: dict[str, Any] = schemas.judged("request")["$defs"][reference.removeprefix("#/$defs/")]
    return definition


def _constants(condition: dict[str, Any]) -> dict[str, str]:
    """The members that the condition of a branch demands to have a certain value."""
    return {key: part["const"] for key, part in condition.get("properties", {}).items() if "const" in part}


def _message(what: str, schema: dict[str, Any]) -> str:
    replaced = _REPLACED.search(schema.get("description", ""))
    return f"{what} is deprecated" + (f", replaced by {replaced[1]}" if replaced else "")
