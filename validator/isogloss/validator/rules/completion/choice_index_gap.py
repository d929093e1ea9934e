"""The indexes of the choices do not count from 0 without a gap.

OpenAI numbers `n` choices from 0 to `n` - 1. If an index is equal to the number of choices or larger, a smaller index
is missing. The rule also checks the completion that a stream folds into.

## Why it matters
Some readers reserve room for `n` answers and store each under its index. Others wait for the choice with the index 0.

## Who breaks
Clients that read `choices[0]` of an answer that begins at 1. The rule `choice-index-changed` reports a stream that
counts its chunks.

## What to do
* As a server's author: Number the choices from 0, even if some were filtered or failed. Send those with their own
  `finish_reason`, or number the remaining choices again from 0.
* As a client's user: Loop over the choices and do not look for an index. If you need one answer, take `choices[0]`.

## Bad
```json
{"choices": [{"index": 1, "message": {}}]}
```

## Good
```json
{"choices": [{"index": 0, "message": {}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    lacks="choice",
    sources=(
        Citation("API reference, the chat completion object: choices, index", "2026-04"),
        Citation("recorded OpenAI completions: 0, 1, ... in order in all of them", "2026-08"),
    ),
    needs=("unusual index",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the first index that is not below the number of choices."""
    count = len(completion.choices)
    for choice in completion.choices:
        if choice.index is not None and choice.index >= count:
            yield Hit(
                f"index {choice.index} among {count_of(count, 'choice')}; indexes count from 0",
                (*choice.at, "index"),
                choice.index,
            )
            return
