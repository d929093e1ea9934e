"""`usage` counts no tokens of the answer, although there is one, or none of the prompt.

All three counts are 0, or only that of the completion tokens or of the prompt tokens.

## Why it matters
Programs that use these counts for bills, limits or displays see no usage, and nobody notices.

## Who breaks
AutoGen, whose cost and context counts stay at 0 on such servers
([microsoft/autogen#6548](https://github.com/microsoft/autogen/issues/6548)).

## What to do
* As a server's author: Fill the counts from the engine that generated the answer, or leave `usage` out. Zeros are the
  default values of a type that no code has filled in.
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
from isogloss.validator.rules.completion._usage import COUNTS
from isogloss.validator.views import Choice, Completion, Json

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: usage", "2026-04"),
        Citation("recorded OpenAI answers: all three counts above 0 in all of them", "2026-08"),
    ),
    needs=("zero usage", "usage"),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a usage of 0, or for one of its counts that is 0, if a choice has text or a call."""
    usage = completion.usage
    if usage is None or not any(_is_zero(usage, name) for name in COUNTS[:2]):
        return
    if not any(map(_has_answer, completion.choices)):
        return
    if all(_is_zero(usage, name) for name in COUNTS):
        yield Hit("all counts are 0, though there is an answer", ("usage",), usage)
    elif _is_zero(usage, "completion_tokens"):
        if type(usage.get("prompt_tokens")) is int:
            yield Hit("0 completion tokens, though there is an answer", ("usage", "completion_tokens"), 0)
    else:
        yield Hit("0 prompt tokens, though every prompt has some", ("usage", "prompt_tokens"), 0)


def _is_zero(usage: Json, name: str) -> bool:
    return type(usage.get(name)) is int and usage[name] == 0


def _has_answer(choice: Choice) -> bool:
    return bool(choice.content or choice.refusal or choice.calls or choice.function_call)
