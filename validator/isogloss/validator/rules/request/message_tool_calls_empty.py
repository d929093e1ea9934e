"""`tool_calls` of a message is an empty array.

OpenAI answers 400, with the code `empty_array`. A message without calls has no `tool_calls`.

## Why it matters
The request is refused, and so is every later one of the same conversation. This happens when a client sends answers of
other servers, which have an empty array, back to OpenAI.

## What to do
* As a server's author: Leave `tool_calls` out of your own answers when there are none, since clients send back what
  they got. Refuse or ignore the empty list in requests.
* As a client's user: Remove the empty list from assistant messages before you send them, at the place where answers are
  added to the history.

## Bad
```json
{"messages": [{"role": "assistant", "content": "Four.", "tool_calls": []}]}
```

## Good
```json
{"messages": [{"role": "assistant", "content": "Four."}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("openai/openai-python#2061", "2025-01"),
        Citation("openai/openai-node#1341", "2025-02"),
    ),
    needs=("tool calls in messages", "unusual calls"),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for each empty `tool_calls`."""
    for message in request.messages:
        if message.value.get("tool_calls") == []:
            yield Hit("tool_calls is empty; OpenAI refuses that, leave it out", (*message.at, "tool_calls"), [])
