"""The first fragment of a tool call names no function.

If the name comes with a later fragment, this is a warning. An empty name counts as no name. A fragment that has no id
either does not begin a call: often it belongs to another one, and has a wrong index.

## Why it matters
The name says which function to call. If it is missing, openai-node's stream helper uses an empty string, and agents
answer that they do not know the tool.

## What to do
* As a server's author: Hold a call back until its function's name is known, and send it whole with the first fragment.
* As a client's user: Wait for the end of the stream before you look up the tool, since the name may come later. If it
  never does, answer the call with an error and do not guess.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"arguments":"{}"}}]}
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
    lacks="beginning",
    replaces=("null-value",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the first fragment of every call has a name", "2026-08"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
    needs=("calls", "unusual fragments"),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each call whose first fragment has no name, whether or not it has an id."""
    for call in trace.calls:
        first = call.fragments[0]
        value = first.function.get("name", ABSENT)
        if value is ABSENT or value is None or value == "":
            what, comes, it = ("name", "comes", "it") if call.begins else ("id and name", "come", "them")
            message, severity = f"the tool call has no {what}", None
            if call.strings("name"):
                severity = Severity.WARNING
                message = f"the {what} {comes} after the first fragment, where OpenAI sends {it}"
            yield Hit(message, (*first.at, first.part, "name"), value, first.event, severity=severity)
