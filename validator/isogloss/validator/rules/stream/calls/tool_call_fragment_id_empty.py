"""A fragment of a tool call has an empty `id`, though the call has one.

If the only id of a call is empty, the rule `tool-call-id-empty` reports it.

## Why it matters
Clients that copy the properties of a fragment replace the id of the call by an empty one. Other clients take an id,
even an empty one, for the beginning of another call.

## Who breaks
Zed until April 2026, and OpenCode 2, on DashScope
([zed-industries/zed#54872](https://github.com/zed-industries/zed/pull/54872),
[anomalyco/opencode#37841](https://github.com/anomalyco/opencode/issues/37841)).

## What to do
* As a server's author: Leave `id` out of the fragments after the first; an empty string comes from a field that is
  always written.
* As a client's user: Take an id only if it is not empty, and find the call by `index`.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"id":"","function":{"arguments":"{}"}}]}
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
        Citation("recorded OpenAI streams: the id stands on the first fragment alone, and is never empty", "2026-08"),
    ),
    includes=("tool-call-fragment-name-empty", "tool-call-type-repeated"),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every empty id of a call that has another."""
    for call in trace.calls:
        for mark in call.ids if call.id is not None else ():
            if mark.value == "":
                message = "the id is empty here; OpenAI leaves it out of later fragments"
                beside = tuple((*mark.at[:-1], *other) for other in (("type",), ("function", "name")))
                yield Hit(message, mark.at, "", mark.event, other_pointers=beside)
