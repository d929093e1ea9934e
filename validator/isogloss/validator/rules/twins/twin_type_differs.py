"""A value of the same answer has another JSON type on one side.

For streams, the rule compares the completions that they fold into. It ignores null, and it does not distinguish
integers from other numbers.

## Why it matters
Typed clients have one class for the value, and fail on one of the two sides: always with streams, or always without.

## What to do
* As a server's author: Serialise the value with the same code in streams and in completions.
* As a client's user: Accept both types until the server is fixed, and convert one into the other.

## Bad
```
not streamed: {"created":1760000000,…}
streamed:     {"created":"1760000000",…}
```

## Good
```
not streamed: {"created":1760000000,…}
streamed:     {"created":1760000000,…}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import Pointer, generic
from isogloss.validator.quoting import join_list, type_with_article
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import TwinAnswer, Twins

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("API reference, the chat completion object and the chunk object", "2026-04"),),
)

_DEEPEST = 8
_MOST_ITEMS = 64
Types = dict[str, tuple[Pointer, set[str]]]


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit for each path that has values on both sides but no JSON type that occurs on both."""
    left, right = _types(twins.left), _types(twins.right)
    for path, (at, types) in right.items():
        left_types = left[path][1] if path in left else types
        if left_types.isdisjoint(types):
            yield Hit(twins.join_sides(join_list(sorted(left_types)), join_list(sorted(types))), at)


def _types(side: Sequence[TwinAnswer]) -> Types:
    """Return the JSON types at every path of the completions of a side, with the pointer of the first value there."""
    found: Types = {}
    for answer in side:
        if answer.completion is not None:
            _add_types(found, answer.completion.value, (), _DEEPEST)
    return found


def _add_types(found: Types, value: object, at: Pointer, depth: int) -> None:
    if value is None:
        return
    type_name = (
        "a number" if isinstance(value, int | float) and not isinstance(value, bool) else type_with_article(value)
    )
    found.setdefault(generic(at), (at, set()))[1].add(type_name)
    if depth and isinstance(value, dict):
        for name, part in value.items():
            _add_types(found, part, (*at, name), depth - 1)
    elif depth and isinstance(value, list):
        for position, part in enumerate(value[:_MOST_ITEMS]):
            _add_types(found, part, (*at, position), depth - 1)
