"""The name of a called tool has characters that no declared name can have, or is longer than 64.

OpenAI takes only names of tools that match `^[A-Za-z0-9_-]{1,64}$`, and answers with those.

## Why it matters
No tool has such a name, so the call cannot be run. Sent back with the history, it has the next request refused. The
name is mostly a right one with a piece of the model's own markup, of the arguments or of a namespace in it.

## Who breaks
vLLM with gpt-oss, whose `<|channel|>commentary` stays on the name
([vllm-project/vllm#32587](https://github.com/vllm-project/vllm/issues/32587)).

## What to do
* As a server's author: Cut the name where the model's markup says it ends, and remove a namespace such as `functions.`.
  If what is left is no declared tool, answer with the text instead of a call.
* As a client's user: Compare the name with your tools before the call is run or stored, and ask again where it is none
  of them. Do not send such a call back.

## Bad
```json
{"name": "ls<|channel|>commentary", "arguments": "{}"}
```

## Good
```json
{"name": "ls", "arguments": "{}"}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

__all__ = ["RULE", "check"]

RULE = Rule(
    name="tool-call-name-malformed",
    severity=Severity.ERROR,
    summary="The name of a called tool has characters that no declared name can have, or is longer than 64.",
    since="0.1.0",
    sources=(
        Citation("API reference, create chat completion: tools, function, name", "2026-04"),
        Citation("recorded OpenAI answers: all names of called tools have the form", "2026-11"),
        Citation("https://github.com/vllm-project/vllm/issues/32587", "2026-11"),
    ),
    needs=("calls", "odd calls"),
    replaces=("tool-undeclared",),
)

_FORM = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each name of a call that does not have the form of a tool's name."""
    for choice in completion.choices:
        for call in choice.called:
            if call.name and not _FORM.fullmatch(call.name):
                what = (
                    "is longer than 64 characters" if len(call.name) > 64 else "has characters no tool's name may have"
                )
                yield Hit(f"the name of the called tool {what}", call.name_at, call.name)
