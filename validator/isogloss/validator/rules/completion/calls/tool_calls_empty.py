"""`tool_calls` is an empty array.

OpenAI leaves `tool_calls` out of a message without calls. The type allows an empty array, so this is a warning.

## Why it matters
Clients check whether `tool_calls` exists and then read the first call. If a message with an empty array is sent back to
OpenAI, it is refused.

## Who breaks
Agents on vLLM, which loop until they fail on the first call
([vllm-project/vllm#44104](https://github.com/vllm-project/vllm/issues/44104)); Copilot Chat in VS Code and AutoGen 0.2
on vLLM ([microsoft/vscode#255934](https://github.com/microsoft/vscode/issues/255934),
[microsoft/autogen#3120](https://github.com/microsoft/autogen/issues/3120)).

## What to do
* As a server's author: Leave `tool_calls` out of messages without calls.
* As a client's user: Test whether the list has items. Remove the empty list before you send the message back, since
  OpenAI refuses it.

## Bad
```json
{"role": "assistant", "content": "Four.", "tool_calls": []}
```

## Good
```json
{"role": "assistant", "content": "Four."}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    catalogue=(38,),
    sources=(
        Citation("recorded OpenAI answers: at least one call in every tool_calls", "2026-08"),
        Citation("openai/openai-python#2061", "2025-01"),
    ),
    needs=("unusual calls",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each empty `tool_calls` of a message."""
    for choice in completion.choices:
        if choice.message.get("tool_calls") == []:
            yield Hit("tool_calls is empty; OpenAI leaves it out", (*choice.at, "message", "tool_calls"), [])
