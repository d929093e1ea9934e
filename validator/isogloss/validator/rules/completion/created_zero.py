"""`created` is 0.

This is a note, because tools that record traffic write 0 as well, so that two recordings do not differ.

## Why it matters
A program that shows, sorts or expires answers by this time takes the answer to be from 1970.

## What to do
* As a server's author: Set `created` to the current time in seconds when the request arrives.
* As a client's user: Use the time at which you received the answer. If a recording tool wrote the 0, you need not do
  anything: ignore this rule for the recordings.

## Bad
```json
{"created": 0}
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

RULE = Rule(
    severity=Severity.NOTE,
    sources=(Citation("API reference, the chat completion object: created", "2026-04"),),
    needs=("unusual time",),
    overwritten=("recording",),
)


def check(completion: Completion) -> Iterator[Hit]:
    """Yield a hit for a time that is zero."""
    if completion.created == 0:
        yield Hit("created is 0, the year 1970", ("created",), completion.created)
