"""The first fragment of a tool call has no `type`.

If the type comes with a later fragment, this is a warning. If the fragment has neither id nor name, either,
`tool-call-name-missing` says that the call has no beginning.

## Why it matters
Typed clients tell the kinds of calls apart by it. openai-node's stream helper throws at the end of the answer if a call
has no type. Others leave such a call out, and run no tool.

## Who breaks
mistral-vibe on vLLM with Qwen ([mistralai/mistral-vibe#504](https://github.com/mistralai/mistral-vibe/pull/504),
[mistralai/mistral-vibe#510](https://github.com/mistralai/mistral-vibe/pull/510)), AI SDK on a proxied o4-mini
([vercel/ai#6041](https://github.com/vercel/ai/issues/6041)).

## What to do
* As a server's author: Send `"type": "function"` with the first fragment of each call.
* As a client's user: If the type is missing, assume `function`. If a helper insists on the type, add it to the fragment
  before the helper reads it.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}]}
```

## Good
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(34,),
    replaces=("null-value",),
    includes=("tool-call-null-property",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the first fragment of every call has a type", "2026-08"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each call whose first fragment has no type, but its id or its name."""
    for call in trace.calls:
        first = call.fragments[0]
        if first.value.get("type") is None and call.begins:
            message, severity = "the tool call has no type", None
            if call.strings("type"):
                message, severity = "the type comes after the first fragment, where OpenAI sends it", Severity.WARNING
            at, value = (*first.at, "type"), first.value.get("type", ABSENT)
            events = call.events_without("type")
            yield Hit(message, at, value, first.event, severity=severity, other_pointers=(at,), events=events)
