"""Answers to the same request have different numbers of choices.

`n` sets how many choices there are, whatever the model writes. In a stream, the `index` shows to which choice a chunk
belongs.

## Why it matters
A client that reads the second choice finds none, or takes two choices of a stream for one text.

## What to do
* As a server's author: Give each choice of a stream its `index`, on every chunk, and make as many choices for a stream
  as for a completion. Refuse `n` above 1 with status 400 if you do not support it.
* As a client's user: Count the choices before you read them. Where `n` is ignored, send the request several times.

## Bad
```
n=2, not streamed: {"choices":[{"index":0,…},{"index":1,…}]}
n=2, streamed:     every chunk has {"choices":[{"index":0,…}]}
```

## Good
```
n=2, not streamed: {"choices":[{"index":0,…},{"index":1,…}]}
n=2, streamed:     chunks with {"choices":[{"index":0,…}]} and with {"choices":[{"index":1,…}]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.twinning import Twins

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("API reference, create chat completion: n", "2026-04"),),
)


def check(twins: Twins) -> Iterator[Hit]:
    """Yield a hit if no number of choices occurs on both sides."""
    found = twins.disjoint_values(lambda answer: len(answer.choices) or None)
    if found is not None:
        left, right = (count_of(count, "choice") for count in found if isinstance(count, int))
        yield Hit(twins.join_sides(left, right), ("choices",))
