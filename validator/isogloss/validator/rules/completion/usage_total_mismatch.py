"""`usage.total_tokens` is not the sum of `prompt_tokens` and `completion_tokens`.

## Why it matters
Some readers compute budgets and bills from the total, others from the parts. If the total and the parts disagree, so do
the amounts of money. Servers cause this if they count reasoning tokens in the total but not in `completion_tokens`.

## What to do
* As a server's author: Compute `total_tokens` as the sum when you build the answer. If reasoning tokens are missing
  from `completion_tokens`, add them there.
* As a client's user: Compare the total and the sum with the vendor's bill once. Then use the number that agrees with
  the bill in all of your accounting.

## Bad
```json
{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}
```

## Good
```json
{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion, quantity

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("API reference, the chat completion object: total is prompt + completion", "2026-04"),),
    needs=("usage", "unusual total"),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for the total if all three counts are present and do not add up."""
    usage = completion.usage
    if usage is None:
        return
    prompt, answer = quantity(usage.get("prompt_tokens")), quantity(usage.get("completion_tokens"))
    total = quantity(usage.get("total_tokens"))
    if prompt is not None and answer is not None and total is not None and prompt + answer != total:
        yield Hit(f"total_tokens is {total}, its parts add up to {prompt + answer}", ("usage", "total_tokens"), total)
