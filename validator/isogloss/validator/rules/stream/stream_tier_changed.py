"""`service_tier` changes within a stream.

If only some chunks of a stream have it, the rule `stream-property-partial` reports that.

## Why it matters
The tier of the answer is the one that was used, and it sets the price. If it changes, the price depends on the chunk
that a client reads.

## What to do
* As a server's author: Send the tier that is used, in every chunk. While it is not known yet, leave the property out or
  send null in all of them.
* As a client's user: Read the tier from the last chunk, since the first may repeat the tier that the request asked for.

## Bad
```
data: {"service_tier":"auto","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"service_tier":"default","choices":[{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"service_tier":"default","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"service_tier":"default","choices":[{"index":0,"delta":{"content":"lo"}}]}
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
        Citation("recorded OpenAI streams: one service_tier in all of them", "2026-08"),
    ),
    needs=("changing envelope",),
    replaces=("unknown-value",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every chunk whose tier differs from the last one before it."""
    for mark in trace.changes("service_tier"):
        yield Hit("service_tier differs here; all chunks of a stream have one", mark.at, mark.value, mark.event)
