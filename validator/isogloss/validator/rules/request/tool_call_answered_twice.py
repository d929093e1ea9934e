"""Two tool messages answer the same call.

OpenAI answers 400: duplicate value for `tool_call_id`.

## Why it matters
The request is refused, and so is every later one of the same conversation.

## What to do
* As a server's author: Answer 400 and name the id; a model that sees two results chooses one of them at random.
* As a client's user: Keep one result for each call: when a late result arrives after a placeholder such as "aborted",
  replace the placeholder.

## Bad
```json
{"messages": [{"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "aborted"},
  {"role": "tool", "tool_call_id": "call_1", "content": "no"}]}
```

## Good
```json
{"messages": [{"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "no"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.request._tool_turns import turn_faults
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("agno-agi/agno#5116", "2025-10"),
        Citation("anomalyco/opencode#1211", "2025-07"),
    ),
    needs=("tool calls in messages",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each `tool_call_id` that an earlier tool message has already answered."""
    for message in turn_faults(request).twice:
        yield Hit("the call is answered already", (*message.at, "tool_call_id"), message.tool_call_id)
