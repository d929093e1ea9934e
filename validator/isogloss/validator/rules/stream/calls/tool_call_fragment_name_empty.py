"""A later fragment of a tool call has an empty name, though the call has one.

If the only name of a call is empty, the rule `tool-call-name-empty` reports it. If the first fragment of a call has an
empty name, `tool-call-name-missing` reports it. An empty id beside it is reported in its place
(`tool-call-fragment-id-empty`).

## Why it matters
Clients that copy the properties of a fragment replace the name by an empty one, and clients that take the first name
run a tool called "".

## Who breaks
Zed until April 2026, and OpenCode 2, on DashScope
([zed-industries/zed#54872](https://github.com/zed-industries/zed/pull/54872),
[anomalyco/opencode#37841](https://github.com/anomalyco/opencode/issues/37841)); aisdk
([lazy-hq/aisdk#121](https://github.com/lazy-hq/aisdk/pull/121)).

## What to do
* As a server's author: Send the whole name with the first fragment, and leave it out of the others.
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

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("recorded OpenAI streams: the name stands on the first fragment alone, and is never empty", "2026-11"),
        Citation("zed-industries/zed#54872: empty names replaced the name of the call", "2026-04"),
    ),
    includes=("tool-call-type-repeated",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every empty name after the first fragment of a call that has another name."""
    for call in trace.calls:
        if any(mark.value and isinstance(mark.value, str) for mark in call.names):
            for mark in call.names:
                if mark.value == "" and mark.event != call.fragments[0].event:
                    message = "the name is empty here; OpenAI sends it once, whole"
                    yield Hit(message, mark.at, "", mark.event, other_pointers=((*mark.at[:-2], "type"),))
