"""Two tool calls of a message have the same id.

## Why it matters
The result of a call goes back under the id of the call. With one id for two calls, one result is lost, or the next
request is refused for answering the same call twice.

## What to do
* As a server's author: Make a new random id for each call, not one for each message, function or answer.
* As a client's user: Give the calls ids of your own before you store the message, and use these in the tools' messages
  too.

## Bad
```json
{"tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
  {"id": "call_1", "type": "function", "function": {"name": "here", "arguments": "{}"}}]}
```

## Good
```json
{"tool_calls": [
  {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
  {"id": "call_2", "type": "function", "function": {"name": "here", "arguments": "{}"}}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.nesting import are_same
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion, repeated

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: tool_calls, id", "2026-04"),
        Citation("openclaw/openclaw#40996: edit:22 twice in a message, refused in the next request", "2026-03"),
        Citation("can1357/oh-my-pi#2055: of MiMo and Kimi", "2026-06"),
    ),
    needs=("several calls",),
    includes=("parallel-calls-despite-false",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each id that an earlier call of the same message has. Another rule reports empty ids.

    A copy of the first call is no second one.
    """
    for choice in completion.choices:
        for call in repeated(choice.calls, lambda call: call.id or None):
            message, at = "this id already belongs to another call of the message", (*call.at, "id")
            other_pointers = (call.at,) if are_same(call.value, choice.calls[0].value) else ()
            yield Hit(message, at, call.id, other_pointers=other_pointers)
