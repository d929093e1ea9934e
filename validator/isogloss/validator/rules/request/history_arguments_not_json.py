"""A call in the messages of a request has arguments that are not JSON.

Mostly they are cut: the answer reached its token limit, and the client stored the call nevertheless.

## Why it matters
OpenAI accepts the text as it is. Other servers parse it to fill the template of the model, and answer 400 or 500. Then
every further turn of the conversation fails, too.

## Who breaks
llama.cpp, with HTTP 500 ([ggml-org/llama.cpp#25510](https://github.com/ggml-org/llama.cpp/issues/25510)), and xAI,
with HTTP 400 ([superagent-ai/grok-cli#65](https://github.com/superagent-ai/grok-cli/issues/65)).

## What to do
* As a server's author: If the text does not parse, give it to the template as it is, or answer 400 and name the
  message.
* As a client's user: Parse the arguments when the answer arrives, before you store it. If they do not parse, leave the
  call out of the history, or replace the arguments by `{}` and say in the result of the call what was wrong.

## Bad
```json
{"role": "assistant", "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "write", "arguments": "{\\"path\\": \\"a.t"}}]}
```

## Good
```json
{"role": "assistant", "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "write", "arguments": "{\\"path\\": \\"a.txt\\"}"}}]}
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
        Citation("API reference, create chat completion: assistant message, tool_calls", "2026-04"),
        Citation("ggml-org/llama.cpp#25510", "2026-07"),
    ),
    needs=("tool calls in messages",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the arguments of each function call in the history that are empty or not JSON."""
    for message in request.messages:
        for call in message.calls:
            text = call.arguments
            if text is not None and call.type == "function":
                if not text:
                    yield Hit("the arguments of this call are empty, not JSON", call.arguments_at, text)
                elif call.parsed is None:
                    yield Hit("the arguments of this call are not JSON", call.arguments_at, text)
