"""The `tool_calls` of a delta are an empty array.

A delta without tool calls does not have this property.

## Why it matters
Some clients test whether the property is there, and then read its first item. Others take it for the end of the text,
or of the reasoning, before it.

## Who breaks
Loops that end in an index error on vLLM ([vllm-project/vllm#44104](https://github.com/vllm-project/vllm/issues/44104)).
On CodeBuddy, whose deltas all have it, the AI SDK ends the reasoning at once
([decolua/9router#2230](https://github.com/decolua/9router/pull/2230)), and 9router cut the answer off behind its first
token ([decolua/9router#3236](https://github.com/decolua/9router/pull/3236)).

## What to do
* As a server's author: Leave `tool_calls` out of deltas that have no piece of a call; most serialisers can omit empty
  lists.
* As a client's user: Test whether the list has items, not whether the property is there. Do not take its presence for
  the end of the text.

## Bad
```
data: {"choices":[{"index":0,"delta":{"content":"Hello","tool_calls":[]}}]}
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
    severity=Severity.WARNING,
    catalogue=(38,),
    sources=(
        Citation("API reference, the chat completion chunk object", "2026-04"),
        Citation("recorded OpenAI streams: never empty", "2026-08"),
    ),
    needs=("unusual chunks",),
)


def check(trace: Trace) -> Iterator[Hit]:
    """Yield a hit for every empty array."""
    for choice in trace.choices.values():
        for mark in choice.empty_calls:
            yield Hit("tool_calls is empty; OpenAI leaves it out", mark.at, mark.value, mark.event)
