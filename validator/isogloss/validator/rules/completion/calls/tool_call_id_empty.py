"""The id of a tool call is empty.

## Why it matters
The result of a call goes back under the id of the call. Without an id, nobody knows to which call a result belongs, and
clients that require an id drop the answer.

## Who breaks
The AI SDK on Gemini 2.5 Pro ([vercel/ai#7834](https://github.com/vercel/ai/issues/7834)); Semantic Kernel for .NET,
which throws on it ([microsoft/semantic-kernel#12702](https://github.com/microsoft/semantic-kernel/issues/12702)), and
Pydantic AI until June 2025, which gave the call and its result two ids
([pydantic/pydantic-ai#1879](https://github.com/pydantic/pydantic-ai/issues/1879)), on Gemini.

## What to do
* As a server's author: Make a random id for each call, even if the model's own format has no ids.
* As a client's user: Replace the empty id with one of your own, in the assistant's message and in the tool's message,
  before you send both back.

## Bad
```json
{"id": "", "type": "function", "function": {"name": "now", "arguments": "{}"}}
```

## Good
```json
{"id": "call_9f2Jk0vQ1sWm3xZr7tYb5uNe", "type": "function", "function": {"name": "now", "arguments": "{}"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(32,),
    sources=(
        Citation("API reference, the chat completion object: tool_calls, id", "2026-04"),
        Citation("recorded OpenAI answers: an id in every call", "2026-08"),
    ),
    needs=("unusual calls",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each empty id of a call."""
    for choice in completion.choices:
        for call in choice.calls:
            if call.id == "":
                yield Hit("the id of the call is empty; its result cannot refer to it", (*call.at, "id"), "")
