"""`created` counts milliseconds or a smaller unit, not seconds.

## Why it matters
Readers turn the number into a date. Read as seconds, it is tens of thousands of years in the future, and most date
types raise an exception.

## What to do
* As a server's author: Divide by 1,000 and send an integer: `Math.floor(Date.now() / 1000)` in JavaScript.
* As a client's user: Divide values above 10,000,000,000 by 1,000, again if need be, before you convert them to a date,
  or use the time at which you received the answer.

## Bad
```json
{"created": 1767225600000}
```

## Good
```json
{"created": 1767225600}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.views import Completion

__all__ = ["LEAST_MILLISECONDS", "RULE", "check"]

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation("API reference, the chat completion object: created is a Unix time in seconds", "2026-04"),
        Citation("recorded OpenAI answers: seconds in all of them", "2026-08"),
    ),
    needs=("late creation time",),
)

LEAST_MILLISECONDS = 100_000_000_000
"""The smallest number that is taken for milliseconds.

As seconds it is in the year 5138, later than any answer. As milliseconds it is in 1973, earlier than any answer.
"""


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a time that is too large for seconds. The schema reports numbers that do not fit in 64 bits."""
    if completion.created is not None and LEAST_MILLISECONDS <= completion.created < 2**63:
        unit = "milli" if completion.created < 10**14 else "micro" if completion.created < 10**17 else "nano"
        yield Hit(f"created counts {unit}seconds; the reference has seconds", ("created",), completion.created)
