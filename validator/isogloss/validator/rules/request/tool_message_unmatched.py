"""A tool message answers a call that no earlier message made.

OpenAI answers 400: messages with role `tool` must be a response to a preceding message with `tool_calls`.

## Why it matters
The request is refused. This happens when old messages are cut off to save tokens, and the cut is between the calls and
their results.

## What to do
* As a server's author: Answer 400 and name the message; chat templates place such a result where the model cannot
  understand it.
* As a client's user: When you shorten a history, cut before a user's message, so that calls and their results go
  together. Check also that ids are not rewritten between the two.

## Bad
```json
{"messages": [{"role": "user", "content": "Rain?"},
  {"role": "tool", "tool_call_id": "call_1", "content": "no"}]}
```

## Good
```json
{"messages": [{"role": "user", "content": "Rain?"},
  {"role": "assistant", "content": null, "tool_calls": [
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
        Citation("API reference, create chat completion: tool message, tool_call_id", "2026-04"),
        Citation("symgraph/GhidrAssist#45", "2025-09"),
    ),
    needs=("tool messages",),
    includes=("tool-call-unanswered",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each `tool_call_id` that is not the id of an earlier call.

    The message stands in the place of the answer to a call just before it, if one has no answer.
    """
    faults = turn_faults(request)
    for message in faults.unmatched:
        at, call = (*message.at, "tool_call_id"), faults.stand_ins.get(message.at)
        other_pointers = () if call is None else (call,)
        yield Hit("no call before this message has this id", at, message.tool_call_id, other_pointers=other_pointers)
