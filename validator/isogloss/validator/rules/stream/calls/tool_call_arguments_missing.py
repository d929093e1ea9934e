"""The first fragment of a tool call has no `arguments`, and a later one brings them.

OpenAI sends an empty string there. If no fragment of a call has arguments, `missing-property` reports it. If they are
null in later fragments, too, `tool-call-null-property` does.

## Why it matters
Clients keep the first fragment, and append the arguments of each later one to it. Where nothing is to append to, they
throw, or the arguments begin with a word that is no JSON, such as `undefined`.

## Who breaks
LlamaIndex.TS until November 2025, whose arguments began with `undefined`
([run-llama/LlamaIndexTS#2234](https://github.com/run-llama/LlamaIndexTS/pull/2234)); xsAI in November 2025, likewise
([moeru-ai/xsai#235](https://github.com/moeru-ai/xsai/issues/235)); the PHP client of OpenAI, on vLLM
([openai-php/client#623](https://github.com/openai-php/client/pull/623)); Llama Stack until April 2026, which put `{}`
before the arguments ([ogx-ai/ogx#5462](https://github.com/ogx-ai/ogx/pull/5462)).

## Who sends it
vLLM, with its parser for the calls of Hermes models; Fireworks AI in February 2025.

## What to do
* As a server's author: Send `"arguments": ""` with the id and the name; often the serialiser leaves out, or writes as
  null, what has no value yet.
* As a client's user: Begin each call with an empty text of your own, and append `arguments` only where it is a string.

## Bad
```json
{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f"}}]}
{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
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
from isogloss.validator.pointer import ABSENT
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    replaces=("null-value",),
    sources=(
        Citation("recorded OpenAI streams: the first fragment of all 150 calls has arguments", "2026-11"),
        Citation("run-llama/LlamaIndexTS#2234: the arguments began with undefined", "2025-11"),
        Citation("openai-php/client#623: a first fragment of vLLM", "2025-07"),
    ),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for each call of a function whose first fragment has a name and no arguments, if they come later."""
    for call in trace.calls:
        first = call.fragments[0]
        value, at = first.function.get("arguments", ABSENT), (*first.at, first.part, "arguments")
        is_missing = value is ABSENT or (value is None and all(mark.at != at for mark in call.nulls))
        if is_missing and first.function.get("name") and call.strings("arguments"):
            message = "the arguments come after the first fragment, where OpenAI sends an empty string"
            yield Hit(message, at, value, first.event)
