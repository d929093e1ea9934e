"""`system_fingerprint` changes within a stream.

If only some chunks of a stream have it, the rule `stream-property-partial` reports that.

## Why it matters
The fingerprint names the backend that generated the answer, and is meant for use with `seed`. Two fingerprints in one
answer mean that two backends generated it, or that the property has no meaning on this server.

## What to do
* As a server's author: Write one fingerprint into all chunks: that of the configuration which generates the answer. If
  it does not name a configuration, send `null`.
* As a client's user: Do not compare fingerprints across chunks or use them in keys of a cache for this server. With
  `seed`, do not expect the same answer again.

## Bad
```
data: {"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"system_fingerprint":"fp_2","choices":[{"index":0,"delta":{"content":"lo"}}]}
```

## Good
```
data: {"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Hel"}}]}
data: {"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"lo"}}]}
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
        Citation("recorded OpenAI streams: one system_fingerprint in all of them", "2026-08"),
    ),
    needs=("changing envelope",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every chunk whose fingerprint differs from the last one before it."""
    for mark in trace.changes("system_fingerprint"):
        yield Hit("system_fingerprint differs here; all chunks of a stream have one", mark.at, mark.value, mark.event)
