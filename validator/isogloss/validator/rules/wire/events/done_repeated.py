"""`data: [DONE]` is sent more than once.

## Why it matters
The first `[DONE]` ends the answer. A reader that goes on closes the answer twice. A second `[DONE]` also shows that two
layers (a server and a gateway in front of it) both end the stream. Readers that stop at the first one lose whatever is
between the two.

## What to do
* As a server's author: Find the two layers that both write `[DONE]`. A gateway should either pass on the `[DONE]` of
  the server behind it, or drop it and write its own at the very end.
* As a client's user: Stop at the first `[DONE]`, and make closing the answer harmless when it happens twice.

## Bad
```
data: [DONE]

data: [DONE]
```

## Good
```
data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, NotJson, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.WARNING,
    sources=(
        Citation(
            "API reference, create chat completion: the stream is terminated by a data: [DONE] message", "2026-04"
        ),
        Citation("recorded OpenAI streams: one [DONE] in each", "2026-08"),
    ),
    needs=("several [DONE]",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for each `[DONE]` after the first one. The one behind data after the end is the end of these."""
    body = exchange.response
    if isinstance(body, Stream) and body.values.count(NotJson.DONE) > 1:
        first = body.values.index(NotJson.DONE)
        for event, value in enumerate(body.values[first + 1 :], first + 1):
            if value is NotJson.DONE:
                yield Hit("[DONE] is repeated", event=event)
            elif value is not NotJson.EMPTY:
                return
