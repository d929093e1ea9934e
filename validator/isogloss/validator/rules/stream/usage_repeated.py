"""More than one chunk of a stream has usage.

OpenAI sends it once, near the end, and sends `null` before.

## Why it matters
Clients that add up the usage count tokens several times. Clients that take the first usage count only a part of them.
Both are wrong about the cost, or about how full the context is.

## Who breaks
ogx on Gemini ([ogx-ai/ogx#5122](https://github.com/ogx-ai/ogx/issues/5122)); Open WebUI's analytics add up what is the
total so far ([open-webui/open-webui#29064](https://github.com/open-webui/open-webui/issues/29064)), as Cline did on
SiliconFlow, which showed 200,000 tokens for a greeting ([cline/cline#2145](https://github.com/cline/cline/pull/2145)).

## What to do
* As a server's author: Send usage once, before `[DONE]`, and null on the other chunks.
* As a client's user: Keep the last usage and replace earlier ones; never add them up.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hel"}}],"usage":{"total_tokens":10}}
data: {"choices":[{"index":0,"delta":{"content":"lo"}}],"usage":{"total_tokens":11}}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hel"}}],"usage":null}
data: {"choices":[{"index":0,"delta":{"content":"lo"}}],"usage":null}
data: {"choices":[],"usage":{"total_tokens":11}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    catalogue=(50,),
    sources=(
        Citation("API reference, create chat completion: include_usage, null on all other chunks", "2026-04"),
        Citation("recorded OpenAI streams: one usage object at most", "2026-08"),
    ),
    needs=("usage", "repeated usage"),
    includes=("usage-on-choice-chunk",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every usage after the first."""
    for mark in trace.usages[1:]:
        message = "usage is repeated; OpenAI sends it once, at the end, on a chunk of its own"
        yield Hit(message, mark.at, mark.value, mark.event, other_pointers=(mark.at,))
