"""A request declares `functions`, and its messages hold tool calls.

`functions` came before `tools`, and OpenAI does not let a conversation mix the two: calls in `tool_calls` need `tools`,
calls in `function_call` need `functions`.

## Why it matters
The request is refused (400, "'tool_calls' cannot be used when 'functions' are present."). It happens where one part of
a program, such as a router, still declares functions, and gets the history of another part that calls tools.

## What to do
* As a server's author: Answer 400 and point at the call, or read a function as a tool in each place.
* As a client's user: Declare the functions as `tools`, and use `tool_choice` in place of `function_call`.

## Bad
```json
{"functions": [{"name": "route"}], "messages": [{"role": "user", "content": "Hi"},
 {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "now", …}}]},
 {"role": "tool", "tool_call_id": "call_1", "content": "12:00"}]}
```

## Good
```json
{"tools": [{"type": "function", "function": {"name": "route"}}], "messages": [{"role": "user", "content": "Hi"},
 {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "now", …}}]},
 {"role": "tool", "tool_call_id": "call_1", "content": "12:00"}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("openai/openai-python#1795: 'tool_calls' cannot be used when 'functions' are present", "2024-10"),
        Citation("recorded requests that OpenAI answered: none of these", "2026-11"),
    ),
    needs=("tool calls in messages",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the first message with tool calls if the request declares functions."""
    if not request.value.get("functions"):
        return
    for message in request.messages:
        if message.calls:
            yield Hit(
                "`functions` are declared beside these tool calls",
                (*message.at, "tool_calls"),
                message.value["tool_calls"],
            )
            return
