"""Two choices of one chunk have the same `index`.

## Why it matters
A chunk has only one update of a choice. Clients that read `choices[0]` lose the second part of the text. Clients that
look up a choice by its index find only one of the two.

## What to do
* As a server's author: Join the pieces of one choice into one delta, or send them in two chunks. Where several tokens
  are flushed at once, concatenate their texts.
* As a client's user: Loop over all choices of a chunk and append each delta to the choice of its index. Do not read
  `choices[0]` alone, and do not build a dictionary from the list.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hel"}},{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    replaces=("chunk-repeated", "role-repeated", "finish-reason-repeated"),
    reach="inside",
    sources=(
        Citation("API reference, the chat completion chunk object: choices, index", "2026-04"),
        Citation("recorded OpenAI streams: one choice in each chunk", "2026-08"),
    ),
    hides=("call", "text", "tokens"),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every update of a choice in a chunk, except the first."""
    for choice in trace.choices.values():
        if len(set(map(attrgetter("event"), choice.deltas))) == len(choice.deltas):
            continue
        for previous, delta in pairwise(choice.deltas):
            if delta.event == previous.event:
                message = "the chunk has another update of this choice; OpenAI sends one"
                index = delta.choice.get("index")
                yield Hit(message, (*delta.at, "index"), index, delta.event, other_pointers=((),))
