"""A tool call of an earlier message is not answered before the conversation goes on.

OpenAI answers 400: an assistant message with `tool_calls` must be followed by tool messages responding to each
`tool_call_id`.

## Why it matters
The request is refused. This happens when a tool fails or is cancelled, or when the user sends a message before the tool
is done.

## What to do
* As a server's author: Answer 400 and list the ids that have no result; a chat template may fail in obscure ways
  otherwise.
* As a client's user: Add a tool message for each open call before the conversation goes on, with the result or with a
  text such as "cancelled by the user".

## Bad
```json
{"messages": [{"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]},
  {"role": "user", "content": "And?"}]}
```

## Good
```json
{"messages": [{"role": "assistant", "content": null, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "call_1", "content": "timed out"},
  {"role": "user", "content": "And?"}]}
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
        Citation("API reference, create chat completion: tool message", "2026-04"),
        Citation("BloomLabsInc/genkit-plugins#225: the refusal as OpenAI sends it", "2025-02"),
        Citation("google-gemini/gemini-cli#5031: the same of Qwen's API", "2025-07"),
    ),
    needs=("tool calls in messages",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each call that has no tool message before the next turn or the end of the conversation."""
    for call, goes_on in turn_faults(request).unanswered:
        where = "before the conversation goes on" if goes_on else "at the end of the conversation"
        yield Hit(f"the call is not answered {where}", call.at, call.value)
