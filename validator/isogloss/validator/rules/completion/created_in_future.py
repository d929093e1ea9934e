"""`created` lies in the future.

The rule allows one day for clocks that are wrong. The rule `created-in-milliseconds` reports times in milliseconds.

## Why it matters
Caches and logs that sort by this time keep such an answer at the top. If they expire answers by this time, they keep it
forever.

## What to do
* As a server's author: Take `created` from the server's clock, in seconds since 1970 in UTC, and synchronise that
  clock. Send an expiry time in another property.
* As a client's user: Store the time at which you received the answer, and sort and expire by that.

## Bad
```json
{"created": 4102444800}
```

## Good
```json
{"created": 1767225600}
```
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.completion.created_in_milliseconds import LEAST_MILLISECONDS
from isogloss.validator.views import Completion

RULE = Rule(
    severity=Severity.WARNING,
    sources=(Citation("API reference, the chat completion object: created", "2026-04"),),
    needs=("late creation time",),
)

_TOLERANCE = 86_400
"""How far a server's clock may be wrong, in seconds."""


def _now() -> float:
    return time.time()


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a time in seconds that is more than a day in the future."""
    created = completion.created
    if created is not None and _now() + _TOLERANCE < created < LEAST_MILLISECONDS:
        yield Hit("created lies in the future", ("created",), created)
