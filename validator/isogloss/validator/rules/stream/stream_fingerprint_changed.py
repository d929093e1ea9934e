"""`system_fingerprint` changes within a stream.

A stream that has it on some chunks only is the business of `stream-member-partial`.

## Why it matters
It names the backend that generated the answer, to be read with `seed`. Two of them in one answer say that two
backends did, or that the field means nothing here.

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

__all__ = ["RULE", "check"]

RULE = Rule(
    name="stream-fingerprint-changed",
    severity=Severity.WARNING,
    summary="`system_fingerprint` changes within a stream.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: one system_fingerprint in all of them", "2026-08"),
    ),
    needs=("changing envelope",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """One hit for every chunk whose fingerprint is not the last one given."""
    for mark in trace.changes("system_fingerprint"):
        yield Hit("system_fingerprint changes; all chunks of a stream have one", mark.at, mark.value, mark.event)
