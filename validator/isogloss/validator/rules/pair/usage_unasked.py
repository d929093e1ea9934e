"""A stream has a usage that nobody asked for.

OpenAI sends it only if `stream_options.include_usage` is true. A usage on a chunk of its own, whose `choices` are
empty, is a warning. A usage on a chunk that has choices is a note.

## Why it matters
Clients that did not ask for the usage may read `choices[0]` of every chunk. The chunk with the usage has no choices, so
they fail at the very end of an answer.

## What to do
* As a server's author: Send the chunk with the usage only if `stream_options.include_usage` is true.
* As a client's user: Skip chunks with empty `choices`, and use the usage if it helps you.

## Bad
```
{"stream":true,…}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":3,"total_tokens":11}}
```

## Good
```
{"stream":true,…}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.pairing import Pair, may_ask_for_usage

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation("API reference, create chat completion: stream_options.include_usage", "2026-04"),
        Citation("recorded OpenAI streams: no usage where it was not asked for", "2026-08"),
    ),
    needs=("whole request", "stream"),
)


def check(pair: Pair) -> Iterator[Hit]:
    """Yield a hit for the first usage on a chunk with empty `choices`, and one for the first usage on another chunk.

    Yield nothing if the request asks for the usage.
    """
    trace = pair.trace
    if trace is None or may_ask_for_usage(pair.request):
        return
    empty_events = set(trace.empty)
    for is_empty, severity in ((False, None), (True, Severity.WARNING)):
        mark = next((mark for mark in trace.usages if (mark.event in empty_events) is is_empty), None)
        if mark is not None:
            yield Hit("usage that was not asked for", mark.at, mark.value, mark.event, severity=severity)
