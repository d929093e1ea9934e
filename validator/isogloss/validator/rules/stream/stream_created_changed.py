"""`created` changes within a stream.

It is the time at which the completion began, not the time of the chunk. Zero and null do not count as a change.

## Why it matters
Some clients keep the value of the last chunk, or use it as a key together with the model. They see another completion
than clients that keep the first value. Latency computed from it is wrong.

## What to do
* As a server's author: Take the time once, when the request arrives, and write it into every chunk.
* As a client's user: Keep the value of the first chunk. To measure latency, use the clock of your own process.

## Bad
```
data: {"created":1760000000,"choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"created":1760000001,"choices":[{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"created":1760000000,"choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"created":1760000000,"choices":[{"index":0,"delta":{"content":"lo"}}]}
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
        Citation("API reference, the chat completion chunk object: each chunk has the same timestamp", "2026-04"),
        Citation("recorded OpenAI streams: one created in all of them", "2026-08"),
    ),
    needs=("changing envelope",),
    by_chance=True,  # a stream within one second has one time
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every chunk whose time is not that of the chunk before."""
    for mark in trace.changes("created"):
        yield Hit("created differs here; all chunks of a stream have one time", mark.at, mark.value, mark.event)
