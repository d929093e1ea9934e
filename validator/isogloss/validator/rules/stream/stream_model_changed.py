"""`model` changes within a stream.

An empty or missing model does not count as a change: other rules report those.

## Why it matters
Usage is billed and routed by the model's name. If the name changes, the result depends on the chunk from which a client
takes it.

## What to do
* As a server's author: Decide which name you report, the alias or the version, and write it into every chunk.
* As a client's user: Take the model from one fixed place, such as the first chunk that has one, and use your own record
  of what you requested for billing.

## Bad
```
data: {"model":"gpt-4.1-mini","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"model":"gpt-4.1-mini-2025-04-14","choices":[{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"model":"gpt-4.1-mini-2025-04-14","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"model":"gpt-4.1-mini-2025-04-14","choices":[{"index":0,"delta":{"content":"lo"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: one model in all of them", "2026-08"),
    ),
    needs=("changing envelope",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every chunk whose model is not that of the chunk before."""
    for mark in trace.changes("model"):
        yield Hit("the model differs here; all chunks of a stream have one model", mark.at, mark.value, mark.event)
