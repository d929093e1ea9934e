"""A later fragment of a tool call has an empty name, though the call has one.

A call whose only name is empty is the business of `tool-call-name-empty`, one whose first fragment has an empty name of
`tool-call-name-missing`.

## Why it matters
Clients that copy what a fragment has overwrite the name with nothing, and clients that take the first name run a tool
called "".

## Who breaks
Clients on servers that write the field always: the AI SDK
([vercel/ai#16507](https://github.com/vercel/ai/pull/16507)) and aisdk
([lazy-hq/aisdk#121](https://github.com/lazy-hq/aisdk/pull/121)).

## What to do
* As a server's author: Send the name with the first fragment, whole, and leave it out of the others.
* As a client's user: Take a name only if it is not empty, and begin the call at the first fragment that has one.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"function":{"name":"","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

__all__ = ["RULE", "check"]

RULE = Rule(
    name="tool-call-fragment-name-empty",
    severity=Severity.WARNING,
    summary="A later fragment of a tool call has an empty name, though the call has one.",
    since="0.1.0",
    sources=(
        Citation("recorded OpenAI streams: the name stands on the first fragment alone, and is never empty", "2026-11"),
        Citation("https://github.com/vercel/ai/pull/16507", "2026-06"),
    ),
    needs=("calls", "odd fragments"),
)


def check(trace: Trace) -> Iterator[Hit]:
    """One hit for every empty name behind the first fragment of a call that has another."""
    for call in trace.calls:
        if any(mark.value and isinstance(mark.value, str) for mark in call.names):
            for mark in call.names:
                if mark.value == "" and mark.event != call.fragments[0].event:
                    yield Hit("the name is empty here; OpenAI sends it once, whole", mark.at, "", mark.event)
