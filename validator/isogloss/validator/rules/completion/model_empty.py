"""The `model` of a completion is empty.

## Why it matters
Programs look up prices, limits and statistics by the model that answered, and this is often not the requested model.

## What to do
* As a server's author: Send the name of the model that answered, with its version if there are several.
* As a client's user: Use the name of the model that you requested, and mark it as such in your statistics.

## Bad
```json
{"model": "", "object": "chat.completion"}
```

## Good
```json
{"model": "gpt-4o-mini-2024-07-18", "object": "chat.completion"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: model", "2026-04"),
        Citation("recorded OpenAI answers: a model in all of them", "2026-08"),
    ),
    needs=("empty",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for an empty model name."""
    if completion.model == "":
        yield Hit("model is empty", ("model",), "")
