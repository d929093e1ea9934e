"""The fragments of one tool call have different ids.

A fragment that also has a name is not reported here: it begins another call, see `tool-call-index-reused`.

## Why it matters
Some clients keep the first id, some keep the last, and some take each id for a call of its own, without a name.

## What to do
* As a server's author: Make the id when the call begins, and store it with the index of the call. Do not make ids in
  the code that formats a fragment.
* As a client's user: Find the call by its `index`, keep the first id, and ignore later ones. Send that id back with the
  result.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"id":"call_2","function":{"arguments":"{}"}}]}
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
    severity=Severity.ERROR,
    repeats=True,
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the id stands on the first fragment alone", "2026-08"),
    ),
    includes=("tool-call-type-repeated",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every id that differs from the id of the call."""
    for call in trace.calls:
        for mark in call.ids:
            if isinstance(mark.value, str) and mark.value and mark.value != call.id:
                message, type_at = "the id differs from that of the first fragment of the call", (*mark.at[:-1], "type")
                yield Hit(message, mark.at, mark.value, mark.event, other_pointers=(type_at,))
