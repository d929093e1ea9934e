"""The first fragment of a tool call names no function.

If the name comes with a later fragment, this is a warning. An empty name counts as no name. A fragment that has no id
either does not begin a call: often it belongs to another one, and has a wrong index. A `function_call` of empty
strings is a call without a name, too.

## Why it matters
The name says which function to call. If it is missing, openai-node's stream helper uses an empty string, and agents
answer that they do not know the tool. At the end of an answer with a `function_call` without a name, that helper
throws, also if there are tool calls beside it.

## Who breaks
The AI SDK until April 2026, which threw ([vercel/ai#14760](https://github.com/vercel/ai/pull/14760)), and makes a call
without a name if the name is empty at first ([vercel/ai#16507](https://github.com/vercel/ai/pull/16507)); goose until
September 2026, on vMLX ([aaif-goose/goose#11750](https://github.com/aaif-goose/goose/pull/11750)).

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
from isogloss.validator.rules.gaps import OF_CALL, Gap
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.ERROR,
    lacks="beginning",
    replaces=("null-value", "wrong-type"),
    includes=("tool-call-null-property",),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: the first fragment of every call has a name", "2026-08"),
        Citation("openai/openai-node@00458ac, src/lib/ChatCompletionStream.ts", "2026-11"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each call whose first fragment has no name, whether or not it has an id."""
    for call in trace.called:
        first = call.fragments[0]
        value = first.function.get("name", ABSENT)
        if value is ABSENT or value is None or value == "":
            needs_id = first.part != "function_call"
            what, comes, it = (
                ("id and name", "come", "them") if needs_id and not call.begins else ("name", "comes", "it")
            )
            message, severity = f"the {'tool call' if needs_id else 'call'} has no {what}", None
            if call.strings("name"):
                severity = Severity.WARNING
                message = f"the {what} {comes} after the first fragment, where OpenAI sends {it}"
            holder = (*first.at, first.part)
            at = (*holder, "name")
            others = (holder, at, *([] if call.begins else [(*first.at, "id")]))
            events = call.events_without(first.part, "name")
            yield Hit(message, at, value, first.event, severity=severity, other_pointers=others, events=events)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the first fragments of calls that may hold a part of another call, or of their own."""
    for call in trace.called:
        first = call.fragments[0]
        if not call.begins or first.part not in first.value:
            yield Gap(first.event, OF_CALL)
