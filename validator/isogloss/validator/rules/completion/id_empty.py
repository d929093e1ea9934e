"""The `id` of a completion is empty.

## Why it matters
Traces, caches and message lists use the id as a key. For them, all answers of such a server are the same answer.

## What to do
* As a server's author: Make a unique id for each completion, such as `chatcmpl-` followed by a random string.
* As a client's user: Make your own id where the server's is empty, before you store, cache or trace the answer.

## Bad
```json
{"id": "", "object": "chat.completion"}
```

## Good
```json
{"id": "chatcmpl-7QyqpwdfhqwajicIEznoc6Q47XAyW", "object": "chat.completion"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: id is a unique identifier", "2026-04"),
        Citation("recorded OpenAI answers: an id in all of them", "2026-08"),
    ),
    replaces=("wrong-format",),
    needs=("empty",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for an empty id."""
    if completion.id == "":
        yield Hit("id is empty", ("id",), "")
