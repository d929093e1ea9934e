"""A request uses what the reference calls deprecated.

The reference schema of the request marks these properties (`"deprecated": true`) and names what replaces them. A
property that is null counts as absent.

## Why it matters
Newer models already refuse some of them: reasoning models do not accept `max_tokens`. Nearly everywhere else they are
accepted, so this is a note.

## What to do
* As a server's author: Go on accepting the old property, and map it to the new one; answer 400 if both are set.
* As a client's user: Use the replacement; the message names it, if there is one. For a server that knows only the old
  property, keep it and ignore this rule for that server's requests.

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
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from isogloss import schemas
from isogloss.schemas.references import resolve
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("OpenAPI document openai/openai-openapi@f85dbe2", "2026-08"),
        Citation("openai (PyPI) 3.52.0, generated types", "2026-11"),
    ),
)

_REPLACEMENT = re.compile(r"replaced by (.+?)\.$")


class _Part(Struct, frozen=True):
    """The deprecated parts of a schema in the request schema.

    ``deprecated`` is a message if this schema itself is deprecated. ``properties`` and ``items`` hold the deprecated
    parts of the schemas there. ``branches`` holds the parts of schemas that apply only if a property has a certain
    value. Its keys are the name of this property, and then the value.
    """

    deprecated: str | None
    properties: dict[str, _Part]
    items: _Part | None
    branches: dict[str, dict[str, _Part]]


def check(request: Request) -> list[Hit]:
    """Return a hit for each property, and for each role of a message, that the request schema marks as deprecated."""
    hits: list[Hit] = []
    _add_hits(_deprecated_parts(), request.value, hits)
    return hits


def _add_hits(part: _Part, value: object, hits: list[Hit]) -> None:
    """Add the hits for a value to ``hits``. Their pointers begin at this value."""
    if isinstance(value, dict):
        for key in filter(value.__contains__, part.properties):
            inner, inner_value = part.properties[key], value[key]
            if inner_value is None:
                continue
            first_new = len(hits)
            if inner.deprecated is not None:
                hits.append(Hit(f"{quote_name(key)} {inner.deprecated}", (key,), inner_value, key=True))
            else:
                _add_hits(inner, inner_value, hits)
                if len(hits) > first_new:
                    _move(hits, first_new, key)
        for key, by_value in part.branches.items():
            constant = value.get(key)
            branch_part = by_value.get(constant) if isinstance(constant, str) else None
            if branch_part is None:
                continue
            if branch_part.deprecated is not None:
                hits.append(Hit(f'the {key} "{constant}" {branch_part.deprecated}', (key,), constant))
            else:
                _add_hits(branch_part, value, hits)
    elif isinstance(value, list) and part.items is not None:
        first_new = len(hits)
        for position, item in enumerate(value):
            _add_hits(part.items, item, hits)
            if len(hits) > first_new:
                _move(hits, first_new, position)
                first_new = len(hits)


def _move(hits: list[Hit], first: int, step: str | int) -> None:
    """Put a step at the beginning of the pointers of all hits from the index ``first`` on."""
    hits[first:] = [replace(hit, pointer=(step, *hit.pointer)) for hit in hits[first:]]


@cache
def _deprecated_parts() -> _Part:
    """Return the deprecated parts of the request schema."""
    part = _part(schemas.validation_document("request"))
    assert part is not None
    return part


def _part(schema: dict[str, Any]) -> _Part | None:
    """Return the deprecated parts of a schema, or ``None`` if there are none.

    The recursion ends because the request schema does not contain itself.
    """
    reference = schema.get("$ref")
    if reference is not None:
        schema = resolve(schemas.validation_document("request"), reference)
    replacement = _REPLACEMENT.search(schema.get("description", ""))
    message = (
        f"is deprecated{f', replaced by {replacement[1]}' if replacement else ''}" if schema.get("deprecated") else None
    )
    properties = {key: part for key, inner in schema.get("properties", {}).items() if (part := _part(inner))}
    items = _part(schema["items"]) if isinstance(schema.get("items"), dict) else None
    branches: dict[str, dict[str, _Part]] = {}
    for branch in schema.get("allOf", ()):
        condition = _condition(branch.get("if", {}))
        if condition is not None and (part := _part(branch["then"])):
            branches.setdefault(condition[0], {})[condition[1]] = part
    return _Part(message, properties, items, branches) if message or properties or items or branches else None


def _condition(condition: dict[str, Any]) -> tuple[str, str] | None:
    """Return the property and the value that the condition of a branch demands.

    Return ``None`` if it demands no certain value.
    """
    demanded = [(key, part["const"]) for key, part in condition.get("properties", {}).items() if "const" in part]
    assert len(demanded) < 2, "a branch is chosen by one property"
    return demanded[0] if demanded else None
