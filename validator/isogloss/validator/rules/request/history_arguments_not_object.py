"""A call in the messages of a request has arguments that are JSON, but not an object.

The rule reports an array, a number, a boolean, or a string: that is JSON which was encoded twice. It does not report
null, which servers read as no arguments.

## Why it matters
OpenAI accepts the text as it is. The templates of other models go through the properties of the arguments, so that the
server answers 400 or 500, on every further turn of the conversation.

## Who breaks
SGLang before June 2026, with `'str object' has no attribute 'items'`
([sgl-project/sglang#28035](https://github.com/sgl-project/sglang/pull/28035)).

## What to do
* As a server's author: Test after parsing that the arguments are an object, and answer 400 with the name of the message
  if they are not.
* As a client's user: Encode the arguments once before you store the call: a text that begins with a quote was encoded
  twice. Replace other values by `{}`.

## Bad
```json
{"role": "assistant", "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "[]"}}]}
```

## Good
```json
{"role": "assistant", "tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import type_with_article
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Request

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, create chat completion: assistant message, tool_calls", "2026-04"),
        Citation("sgl-project/sglang#28035", "2026-06"),
    ),
    needs=("tool calls in messages",),
)


def check(request: Request) -> Iterator[Hit]:
    """Yield a hit for the arguments of each function call in the history that are a JSON value of another type."""
    for message in request.messages:
        for call in message.calls:
            if call.type != "function" or call.parsed is None:
                continue
            value = call.parsed.value
            if value is not None and not isinstance(value, dict):
                words = f"the arguments of this call are {type_with_article(value)}, not an object"
                yield Hit(words, call.arguments_at, call.arguments)
