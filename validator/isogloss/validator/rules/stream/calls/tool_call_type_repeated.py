"""The `type` of a tool call stands on more than one of its fragments.

If the id or the name is repeated beside it, or is empty or null there, only that is reported.

## Why it matters
Clients that join the strings of a delta also join the types: from two of them they make `"functionfunction"`, which is
no type of a call, so the call is dropped. Other clients take each type for the beginning of a new call.

## Who breaks
AG2 until March 2026 ([ag2ai/ag2#2451](https://github.com/ag2ai/ag2/pull/2451)); SillyTavern until August 2026, which
dropped such calls without a word ([SillyTavern/SillyTavern#5811](https://github.com/SillyTavern/SillyTavern/pull/5811),
[SillyTavern/SillyTavern#5948](https://github.com/SillyTavern/SillyTavern/pull/5948)); and langchaingo, which begins a
call at each fragment with a type.

## What to do
* As a server's author: Send `type` with the first fragment of a call only; often the serialiser of fragments has
  `function` as a default value.
* As a client's user: Assign the type and do not append it. Begin a call at a new `index` or id, never at a type.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"type":"function","function":{"arguments":"{}"}}]}
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
        Citation("recorded OpenAI streams: the type stands on the first fragment alone", "2026-11"),
        Citation("ag2ai/ag2#2451", "2026-03"),
        Citation("tmc/langchaingo@00ccb89, llms/openai/internal/openaiclient/chat.go", "2026-11"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every type after the first of a call."""
    for call in trace.calls:
        for mark in [mark for mark in call.types if mark.value and isinstance(mark.value, str)][1:]:
            yield Hit("the type is repeated; only the first fragment of a call has it", mark.at, mark.value, mark.event)
