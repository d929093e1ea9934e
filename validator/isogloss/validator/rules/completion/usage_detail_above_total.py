"""A detail of `usage` exceeds the count that it is a part of, or the tokens of text, audio and images together do.

The properties of `prompt_tokens_details` are parts of `prompt_tokens`. Those of `completion_tokens_details` are parts
of `completion_tokens`. A token is of text, of audio or of an image. Other details may count the same tokens: cached
tokens are also of text, for example.

## Why it matters
Readers subtract the part from the count to get the rest (uncached tokens, visible tokens), because the two have
different prices. The rest is then negative, and so is the bill. Servers cause this if they count cached or reasoning
tokens in addition to the others, and not as a part of them.

## What to do
* As a server's author: Count cached tokens in `prompt_tokens`, and reasoning tokens in `completion_tokens`: details are
  parts of these, not additions to them.
* As a client's user: Compare before you subtract: if the detail is larger than the count, this server counts it in
  addition. Do not let the difference fall below 0.

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
from isogloss.validator.rules.completion._usage import DETAILS, MEDIA
from isogloss.validator.views import Completion, quantity

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation("API reference, the chat completion object: usage", "2026-04"),
        Citation("recorded OpenAI answers: no larger in any of them", "2026-08"),
        Citation("recorded OpenAI answers: those of text, audio and images make the whole in all 14", "2026-11"),
    ),
    needs=("usage details",),
)

_INTEGERS = frozenset({int})


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for each detail that is larger than its whole, e.g. ``cached_tokens`` than ``prompt_tokens``."""
    usage = completion.usage or {}
    for name, detail_names in DETAILS.items():
        details = usage.get(f"{name}_details")
        if not isinstance(details, dict) or (whole := quantity(usage.get(name))) is None:
            continue
        if _INTEGERS.issuperset(map(type, details.values())) and sum(map(abs, details.values())) <= whole:
            continue  # as in most answers
        counts = {detail: count for detail in detail_names if type(count := details.get(detail)) is int}
        larger = {detail: count for detail, count in counts.items() if count > whole}
        for detail_name, count in larger.items():
            yield Hit(
                f"{detail_name} is {count}, above the {whole} of {name}",
                ("usage", f"{name}_details", detail_name),
                count,
            )
        together = sum(count for detail, count in counts.items() if detail in MEDIA)
        if together > whole and not larger:
            message = f"the tokens of text, audio and images are {together} together, above the {whole} of {name}"
            yield Hit(message, ("usage", f"{name}_details"), details)
