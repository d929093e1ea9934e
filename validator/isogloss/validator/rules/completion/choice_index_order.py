"""The choices of a completion are not in the order of their indexes.

## Why it matters
Clients that read `choices[1]` for the second answer, and clients that look for the index 1, get different texts.

## What to do
* As a server's author: Sort the choices by `index` before you send the answer.
* As a client's user: Sort the choices by `index` after you have read them, or identify them only by their index.

## Bad
```json
{"choices": [{"index": 1, "message": {}}, {"index": 0, "message": {}}]}
```

## Good
```json
{"choices": [{"index": 0, "message": {}}, {"index": 1, "message": {}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    needs=("several choices", "unusual index"),
    sources=(
        Citation("API reference, the chat completion object: choices, index", "2026-04"),
        Citation("recorded OpenAI completions: 0, 1, ... in order in all of them", "2026-08"),
    ),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first index that is smaller than the index before it."""
    previous: int | None = None
    for choice in completion.choices:
        if choice.index is None or choice.index < 0:
            continue
        if previous is not None and choice.index < previous:
            message = "the choices are not in the order of their indexes; those of OpenAI are"
            yield Hit(message, (*choice.at, "index"), choice.index)
            return
        previous = choice.index
