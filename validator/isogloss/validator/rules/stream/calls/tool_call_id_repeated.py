"""The `id` of a tool call stands on more than one of its fragments.

If the name is repeated beside it, only `tool-call-name-repeated` is reported.

## Why it matters
Clients that join the strings of a delta also join the ids: from two of them, openai-python's stream helper makes
`"call_1call_1"`. Other clients take each id for a new call.

## Who breaks
SillyTavern until August 2026, on GLM-5.2 at Fireworks AI: the id got longer with each fragment
([SillyTavern/SillyTavern#5948](https://github.com/SillyTavern/SillyTavern/pull/5948)). LlamaIndex joins ids that
LiteLLM repeats ([run-llama/llama_index#21693](https://github.com/run-llama/llama_index/pull/21693)).

## What to do
* As a server's author: Send the id with the first fragment of a call only.
* As a client's user: Assign the id and do not append it, and begin a new call only at a new `index`.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}
{"tool_calls":[{"index":0,"id":"call_1","function":{"arguments":"{}"}}]}
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
        Citation("recorded OpenAI streams: the id stands on the first fragment alone", "2026-08"),
        Citation("openai (PyPI) 3.52.0, lib/streaming/_deltas.py", "2026-11"),
    ),
    includes=("tool-call-type-repeated",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every repetition of the id of a call."""
    for call in trace.calls:
        for mark in [mark for mark in call.ids if call.id is not None and mark.value == call.id][1:]:
            message = "the id is repeated; only the first fragment of a call has it"
            yield Hit(message, mark.at, mark.value, mark.event, other_pointers=((*mark.at[:-1], "type"),))
