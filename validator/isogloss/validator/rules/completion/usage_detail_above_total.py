"""A detail of `usage` is larger than the count it is a part of.

The members of `prompt_tokens_details` are parts of `prompt_tokens`, those of `completion_tokens_details` are parts of
`completion_tokens`.

## Why it matters
Readers subtract the part to get the rest, for prices differ between the two: uncached tokens, visible tokens. The rest
is then negative, and so is the bill. Servers that count cached or reasoning tokens beside the others instead of among
them send this.

## What to do
* As a server's author: Count cached tokens in `prompt_tokens`, and reasoning tokens in `completion_tokens`: details are
  parts of these, not additions to them.
* As a client's user: Before you subtract, compare: if the detail is larger than the count, this server adds it. Do not
  let the difference fall below 0.

## Bad
```json
{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
 "completion_tokens_details": {"reasoning_tokens": 300}}
```

## Good
```json
{"prompt_tokens": 10, "completion_tokens": 305, "total_tokens": 315,
 "completion_tokens_details": {"reasoning_tokens": 300}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion, quantity

__all__ = ["RULE", "check"]

RULE = Rule(
    name="usage-detail-above-total",
    severity=Severity.WARNING,
    summary="A detail of `usage` is larger than the count it is a part of.",
    since="0.1.0",
    sources=(
        Citation("API reference, the chat completion object: usage", "2026-04"),
        Citation("recorded OpenAI answers: no larger in any of them", "2026-08"),
    ),
    needs=("usage details",),
)

_PARTS = {
    "prompt_tokens": ("cached_tokens", "cache_write_tokens", "audio_tokens", "image_tokens", "text_tokens"),
    "completion_tokens": (
        "reasoning_tokens",
        "audio_tokens",
        "text_tokens",
        "accepted_prediction_tokens",
        "rejected_prediction_tokens",
    ),
}


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each detail that is larger than its whole, e.g. ``cached_tokens`` than ``prompt_tokens``."""
    usage = completion.usage or {}
    for name, parts in _PARTS.items():
        details = usage.get(f"{name}_details")
        if not isinstance(details, dict) or (whole := quantity(usage.get(name))) is None:
            continue
        for part in parts:
            count = details.get(part)
            if type(count) is int and count > whole:
                yield Hit(f"{part} is {count} of {name} {whole}", ("usage", f"{name}_details", part), count)
