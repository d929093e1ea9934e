"""`usage` counts no tokens at all, although there is an answer.

## Why it matters
Whoever bills, limits or shows by these counts counts nothing, and says nothing.

## Who breaks
AutoGen, whose cost and context counts stay at 0 on such servers
([microsoft/autogen#6548](https://github.com/microsoft/autogen/issues/6548)).

## What to do
* As a server's author: Fill the counts from the engine that generated the answer, or leave `usage` out. Zeros are the
  defaults of a type that nobody filled.
* As a client's user: Treat three zeros as unknown, and exclude such answers from sums and limits, or count the tokens
  yourself.

## Bad
```json
{"choices": [{"message": {"content": "Hello"}}],
 "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}
```

## Good
```json
{"choices": [{"message": {"content": "Hello"}}],
 "usage": {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Choice, Completion

__all__ = ["RULE", "check"]

RULE = Rule(
    name="usage-zero",
    severity=Severity.WARNING,
    summary="`usage` counts no tokens at all, although there is an answer.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion object: usage", "2026-04"),
        Citation("recorded OpenAI answers: all three counts above 0 in all of them", "2026-08"),
    ),
    needs=("zero-usage",),
)


_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def check(completion: Completion) -> Iterator[Hit]:
    """A hit on a usage whose three counts are 0 beside a choice with text or a call."""
    usage = completion.usage
    if usage is None or any(type(usage.get(name)) is not int or usage[name] for name in _COUNTS):
        return
    if any(map(_says_something, completion.choices)):
        yield Hit("all counts are 0, though there is an answer", ("usage",), usage)


def _says_something(choice: Choice) -> bool:
    return bool(choice.content or choice.refusal or choice.calls or choice.function_call)
