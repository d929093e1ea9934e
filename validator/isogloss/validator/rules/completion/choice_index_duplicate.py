"""Two choices of a completion have the same index.

## Why it matters
The index identifies a choice. Readers that store the choices by index lose one of the two answers.

## What to do
* As a server's author: Number the choices 0 to `n` - 1. If you combine the answers of several requests, number all
  choices again from 0.
* As a client's user: If you asked for one answer, take the first choice. If you asked for several, use their position
  and not their index.

## Bad
```json
{"choices": [{"index": 0, "message": {}}, {"index": 0, "message": {}}]}
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
from isogloss.validator.views import Completion, repeated

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: choices, index", "2026-04"),
        Citation("recorded OpenAI completions: 0, 1, ... in order in all of them", "2026-08"),
    ),
    needs=("several choices", "unusual index"),
    includes=("choice-count-mismatch",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each index that an earlier choice already has.

    If there would be as many choices without these as were asked for, that there are more follows from them.
    """
    again = list(repeated(completion.choices, lambda choice: choice.index))
    requested = 1 if completion.request is None else completion.request.value.get("n", 1)
    other_pointers = (("choices",),) if len(completion.choices) - len(again) == requested else ()
    for choice in again:
        message, at = f"index {choice.index} already belongs to another choice", (*choice.at, "index")
        yield Hit(message, at, choice.index, other_pointers=other_pointers)
