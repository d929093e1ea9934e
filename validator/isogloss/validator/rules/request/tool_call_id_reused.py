"""Two calls in the messages of a request have the same id.

OpenAI looks for the answer to a call among the messages directly after it, and accepts the same id again in a later
turn. Other servers keep all ids of a conversation in one table.

## Why it matters
DeepSeek and gateways in front of it refuse the request. On servers that accept it, a template may put the first result
after both calls.

## Who breaks
Craft Agents on DeepSeek, with HTTP 400
([craft-ai-agents/craft-agents-oss#630](https://github.com/craft-ai-agents/craft-agents-oss/issues/630)).

## What to do
* As a server's author: Match results with calls turn by turn, and never repeat an id in your answers. Such a history
  mostly comes from a server that starts again at `call_0` in each answer.
* As a client's user: If an answer brings an id that the history already has, replace it by one of your own, in the call
  and in its result.

## Bad
```json
{"messages": [
  {"role": "assistant", "tool_calls": [{"id": "call_0", "type": "function", "function": {…}}]},
  {"role": "tool", "tool_call_id": "call_0", "content": "1"},
  {"role": "assistant", "tool_calls": [{"id": "call_0", "type": "function", "function": {…}}]},
  {"role": "tool", "tool_call_id": "call_0", "content": "2"}]}
```

## Good
```json
{"messages": [
  {"role": "assistant", "tool_calls": [{"id": "call_0", "type": "function", "function": {…}}]},
  {"role": "tool", "tool_call_id": "call_0", "content": "1"},
  {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {…}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "2"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request, repeated

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: assistant message, tool_calls, id", "2026-04"),
        Citation("bug-ops/zeph#6501: the id must be unique within the request", "2026-07"),
    ),
    needs=("tool calls in messages",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each call whose id an earlier call already has."""
    calls = chain.from_iterable(message.calls for message in request.messages)
    for call in repeated(calls, lambda call: call.id or None):
        yield Hit("an earlier call has this id", (*call.at, "id"), call.id)
