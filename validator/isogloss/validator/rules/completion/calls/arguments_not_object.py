"""The arguments of a function call are JSON, but not an object.

The schema of a function's parameters always describes an object. Some servers instead send `null` for a function
without parameters, or JSON that was encoded twice and therefore is a string.

## Why it matters
Readers pass the arguments to the parameters of a function by name. An array, a string or null has no names.

## What to do
* As a server's author: Send an object even for functions without parameters, and encode it once: a string that begins
  with a quote was encoded twice.
* As a client's user: Treat `null` as an empty object, and parse a second time if the result is a string. For any other
  value, send an error as the tool's result.

## Bad
```json
{"name": "now", "arguments": "null"}
```

## Good
```json
{"name": "now", "arguments": "{}"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import type_with_article
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.calls._arguments import whole_calls
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    lacks="call",
    sources=(
        Citation("API reference, create chat completion: tools, function, parameters", "2026-04"),
        Citation("recorded OpenAI answers: an object in every finished call", "2026-08"),
    ),
    needs=("unusual arguments",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each arguments text of a finished choice that is JSON, but not an object."""
    for call, text in whole_calls(completion):
        if call.parsed is not None and not isinstance(call.parsed.value, dict):
            yield Hit(
                f"the arguments are {type_with_article(call.parsed.value)}, not an object", call.arguments_at, text
            )
