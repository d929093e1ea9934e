"""`reasoning_tokens` is 0 beside a text of reasoning.

## Why it matters
The count shows how much of the bill and of `max_completion_tokens` was used for reasoning. A 0 means that the model did
not reason, but the answer contains its reasoning.

## Who sends it
SGLang, before it counted them ([sgl-project/sglang#15562](https://github.com/sgl-project/sglang/pull/15562)).

## What to do
* As a server's author: Count the tokens up to the end of the reasoning, where it is split from the content. If you do
  not count them, leave out `reasoning_tokens`.
* As a client's user: Treat a 0 beside reasoning as unknown. If you need the number, count the tokens of the reasoning
  text yourself.

## Bad
```json
{"choices": [{"message": {"content": "4", "reasoning_content": "2 and 2 is 4."}}],
 "usage": {"completion_tokens_details": {"reasoning_tokens": 0}}}
```

## Good
```json
{"choices": [{"message": {"content": "4", "reasoning_content": "2 and 2 is 4."}}],
 "usage": {"completion_tokens_details": {"reasoning_tokens": 8}}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion._texts import reasoning_of
from isogloss.validator.views import Completion, obj

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: usage, completion_tokens_details", "2026-04"),
        Citation("sgl-project/sglang#15562: the count was always 0", "2025-12"),
    ),
    needs=("reasoning",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a count of 0 reasoning tokens if a choice has reasoning."""
    usage = completion.usage
    if usage is None or not any(reasoning_of(choice.message) for choice in completion.choices):
        return
    details = obj(usage.get("completion_tokens_details"))
    count = details.get("reasoning_tokens") if details is not None else None
    if type(count) is int and count == 0:
        at = ("usage", "completion_tokens_details", "reasoning_tokens")
        yield Hit("0 reasoning tokens, though there is a text of reasoning", at, 0)
