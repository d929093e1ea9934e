"""The `role` of a delta is an empty string.

## Why it matters
Clients parse the role into a closed set of values. For them, the stream ends at a delta whose role is not in this set.

## Who breaks
AI SDK and OpenCode on GLM-5 and MiniMax M2.5
([anomalyco/opencode#28427](https://github.com/anomalyco/opencode/issues/28427),
[vercel/ai#15464](https://github.com/vercel/ai/pull/15464)); sandboxed.sh
([Th0rgal/sandboxed.sh#143](https://github.com/Th0rgal/sandboxed.sh/issues/143)).

## What to do
* As a server's author: Send `"role": "assistant"` with the first delta of a choice, and leave the property out of all
  others.
* As a client's user: Take the role only if it is not empty, and assume `assistant` otherwise. If your client has an
  enumeration of roles, repair the chunk before the client parses it.

## Bad
```
data: {"choices":[{"index":0,"delta":{"role":"","content":"Hello"}}]}
```

## Good
```
data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(21,),
    replaces=("unknown-value",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the role is always assistant", "2026-08"),
    ),
    needs=("unusual role",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every empty role."""
    for choice in trace.choices.values():
        for mark in choice.roles:
            if mark.value == "":
                yield Hit("role is empty; OpenAI sends assistant", mark.at, "", mark.event)
