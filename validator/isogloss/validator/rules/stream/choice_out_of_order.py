"""A choice of a stream begins before one with a lower index.

In streams of OpenAI that were recorded since 2024, the choices begin in the order of their indexes. Nothing promises
that: in 2023, choice 1 could begin before choice 0.

## Why it matters
Helpers that join the chunks append a choice to their list when its first chunk comes, and use its index as the position
in that list. They raise, or add the text of one answer to another.

## Who breaks
`stream()` of the openai package for Python: `IndexError: list assignment index out of range` on a first chunk of choice
1; found with llama.cpp's server, whose slots answer in any order.

## What to do
* As a server's author: Send the first chunk of each choice, with its role, in the order of the indexes before anything
  else; the rest may come in any order.
* As a client's user: Join the deltas yourself, by `index`, in a map.

## Bad
```
data: {"choices":[{"index":1,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
data: {"choices":[{"index":1,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("openai (PyPI) 3.54.0, lib/streaming/chat: choices are appended as they come", "2026-11"),
        Citation("llama.cpp's server (xllamacpp 2026.10.11549): choice 1 began 40 of 40 streams", "2026-11"),
        Citation("hyperonym/basaran#140: gpt-3.5-turbo-0301 began with choice 1", "2023-03"),
    ),
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for the first delta of the first choice that begins before a choice with a lower index."""
    choices = [choice for choice in trace.choices.values() if isinstance(choice.index, int)]
    for choice, later in pairwise(choices):
        first = choice.deltas[0]
        if later.index < choice.index and first.event < later.deltas[0].event:
            message = f"choice {choice.index} begins before choice {later.index}"
            yield Hit(message, (*first.at, "index"), choice.index, first.event)
            return
