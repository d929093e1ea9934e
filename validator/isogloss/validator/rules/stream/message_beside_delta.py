"""A choice of a chunk has a `message` beside its `delta`.

## Why it matters
It is the answer so far, or all of it, once more. Clients that tell streams from whole answers by this member take
the chunk for a completion, and those that read both count the text twice.

## Who breaks
Clients of Foundry Local, among its other extra members
([microsoft/foundry-local#273](https://github.com/microsoft/foundry-local/issues/273)). Catalogue: row 25.

## What to do
* As a server's author: Remove `message` from chunks; a choice of a stream has a `delta` only. Clients can join the text
  themselves.
* As a client's user: Decide by what you asked for, or by `object`, whether an answer is a stream, and then read `delta`
  alone.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"lo"},"message":{"role":"assistant","content":"Hello"}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"lo"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

__all__ = ["RULE", "check"]

RULE = Rule(
    name="message-beside-delta",
    severity=Severity.WARNING,
    summary="A choice of a chunk has a `message` beside its `delta`.",
    since="0.1.0",
    catalogue=(25,),
    replaces=("unknown-property",),
    sources=(Citation("API reference, the chat completion chunk object", "2026-04"),),
)


def check(trace: Trace) -> Iterator[Hit]:
    """One hit for every such choice, at the name of the member."""
    for mark in trace.messages:
        yield Hit("message beside delta; a chunk has the delta alone", mark.at, mark.value, mark.event, key=True)
