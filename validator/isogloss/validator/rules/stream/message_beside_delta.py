"""A choice of a chunk has a `message` beside its `delta`.

## Why it matters
The `message` repeats the answer so far, or all of it. Clients that tell streams from whole answers by this property
take the chunk for a completion, and clients that read both count the text twice. If it is null, this is an error: null
takes the place of the message that a client has collected.

## Who breaks
Clients of Foundry Local, among its other extra properties
([microsoft/foundry-local#273](https://github.com/microsoft/foundry-local/issues/273)).

`stream()` of the openai package for npm, on null: `Cannot convert undefined or null to object`.

## What to do
* As a server's author: Remove `message` from chunks; a choice of a stream has a `delta` only. Clients can join the text
  themselves.
* As a client's user: Decide by your request, or by `object`, whether an answer is a stream, and then read only `delta`.

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

RULE = Rule(
    severity=Severity.WARNING,
    catalogue=(25,),
    replaces=("unknown-property",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation(
            "openai (npm) 7.57.0, lib/ChatCompletionStream: other properties are assigned to the choice", "2026-11"
        ),
    ),
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every choice of a chunk with a `message`, at the name of this property."""
    for mark in trace.messages:
        is_null = mark.value is None
        message = f"{'null as message' if is_null else 'message'} beside delta; a chunk has only the delta"
        severity = Severity.ERROR if is_null else None
        yield Hit(message, mark.at, mark.value, mark.event, key=True, severity=severity)
