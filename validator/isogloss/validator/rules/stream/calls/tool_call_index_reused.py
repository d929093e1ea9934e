"""Two tool calls of a choice have the same `index`.

A fragment begins another call if it has a name, and an id that differs from the id of the call at its index.

## Why it matters
Clients collect fragments by index, so the two calls become one, whose arguments are two JSON texts in a row.

## Who breaks
The AI SDK merged the calls into invalid JSON ([vercel/ai#18333](https://github.com/vercel/ai/issues/18333)), on Ollama
among others ([vercel/ai#14277](https://github.com/vercel/ai/issues/14277)). Its version 7.0.173 keeps them apart.

## What to do
* As a server's author: Raise the index by one when the model begins another call. Often it is the constant 0, or it
  counts only within one chunk.
* As a client's user: Begin a new call when a fragment has both a name and an id that is new, even if its index is
  known. Otherwise ask for one call at a time with `"parallel_tool_calls": false`.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"tool_calls":[{"index":0,"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    repeats=True,
    catalogue=(30,),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: an index belongs to one call of its choice", "2026-08"),
    ),
    replaces=("tool-call-index-jump",),
    reach="answer",
    hides=("beginning", "call"),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every call that begins at the index of another."""
    for call in trace.calls:
        if call.reuses:
            first = call.fragments[0]
            yield Hit(
                f"index {call.index} already belongs to another call", (*first.at, "index"), call.index, first.event
            )
