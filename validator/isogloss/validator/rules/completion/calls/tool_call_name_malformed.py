"""The name of a called tool has characters that no declared name can have, or is longer than 64.

OpenAI accepts only names of tools that match `^[A-Za-z0-9_-]{1,64}$`, and uses only these names in answers.

## Why it matters
No tool has such a name, so the call cannot be run. If the call is sent back with the history, the next request is
refused. Usually the name is correct, except that it also contains a part of the model's own markup, of the arguments or
of a namespace.

## Who sends it
vLLM with gpt-oss, whose `<|channel|>commentary` stays on the name
([vllm-project/vllm#32587](https://github.com/vllm-project/vllm/issues/32587)).

## What to do
* As a server's author: End the name where the model's markup ends it, and remove a namespace such as `functions.`. If
  the rest is not the name of a declared tool, send the text as content instead of a call.
* As a client's user: Compare the name with those of your tools before you run or store the call. If it is none of them,
  repeat the request. Do not send such a call back.

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

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, create chat completion: tools, function, name", "2026-04"),
        Citation("recorded OpenAI answers: all names of called tools have the form", "2026-11"),
        Citation("vllm-project/vllm#32587", "2026-05"),
    ),
    needs=("unusual calls",),
    replaces=("tool-undeclared",),
)

_NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each name of a call that does not have the form of a tool's name."""
    for choice in completion.choices:
        for call in choice.called:
            if call.name and not _NAME_PATTERN.fullmatch(call.name):
                problem = (
                    "is longer than 64 characters" if len(call.name) > 64 else "has characters no tool's name may have"
                )
                yield Hit(f"the name of the called tool {problem}", call.name_at, call.name)
