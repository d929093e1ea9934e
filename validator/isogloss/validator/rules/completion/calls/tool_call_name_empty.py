"""The name of a called function is empty.

A `function_call` with an empty name is a warning: some servers send it in each answer, in place of none.

## Why it matters
Nobody knows which tool to run. Clients fail with "unknown tool", and OpenAI refuses the conversation when the call is
sent back ("Expected a string with minimum length 1").

## Who breaks
oh-my-pi on GLM-5.2 and Codex behind CLIProxyAPI on MiMo, whose later turns all get status 400
([can1357/oh-my-pi#3458](https://github.com/can1357/oh-my-pi/issues/3458),
[router-for-me/CLIProxyAPI#6041](https://github.com/router-for-me/CLIProxyAPI/issues/6041)); Continue got it for such a
call in its history ([continuedev/continue#9784](https://github.com/continuedev/continue/issues/9784)).

## What to do
* As a server's author: Check the name after parsing a call: if it is empty, the parser took something else for a call,
  so send the text as content.
* As a client's user: Do not guess the tool. Remove the call from the conversation, or answer it with an error under its
  id, and correct the name before it goes back to OpenAI.

## Bad
```json
{"id": "call_1", "type": "function", "function": {"name": "", "arguments": "{}"}}
```

## Good
```json
{"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.ERROR,
    needs=("unusual calls",),
    sources=(
        Citation("API reference, the chat completion object: tool_calls, function, name", "2026-04"),
        Citation("continuedev/continue#9784: OpenAI answers 400 to an empty name in the history", "2026-01"),
    ),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each empty name of a call. For streams, the rule ``tool-call-name-missing`` reports it."""
    for choice in completion.choices if not completion.folded else ():
        for call in choice.calls:
            if call.name == "":
                at = call.name_at
                yield Hit("the name of the call is empty; OpenAI refuses it when it is sent back", at, "")
        function = choice.message.get("function_call")
        if isinstance(function, dict) and function.get("name") == "":
            at = (*choice.at, "message", "function_call", "name")
            message = "the name of the call is empty; without a call, OpenAI sends no function_call"
            yield Hit(message, at, "", severity=Severity.WARNING)
