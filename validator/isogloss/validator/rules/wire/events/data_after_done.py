"""Data follow `data: [DONE]`.

Comments and empty events after it do not count as data.

## Why it matters
Readers stop at `[DONE]`, and the `openai` packages close the connection there. What follows, often the usage or the
last part of an answer, is paid for, but nobody sees it.

## What to do
* As a server's author: Send `[DONE]` last, after the chunk with the usage. If a gateway adds something, it has to add
  it before the `[DONE]` of the server behind it.
* As a client's user: If you need what comes after it, read the body yourself to its end; the usual clients have closed
  the connection by then.

## Bad
```
data: [DONE]

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{…}}
```

## Good
```
data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{…}}

data: [DONE]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, NotJson, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule

RULE = Rule(
    severity=Severity.ERROR,
    sources=(
        Citation(
            "API reference, create chat completion: the stream is terminated by a data: [DONE] message", "2026-04"
        ),
        Citation("openai (PyPI) 3.52.0, _streaming.py: stops at the first [DONE]", "2026-11"),
    ),
    needs=("data after [DONE]",),
    replaces=("schema", "stream"),
    reach="inside",
    hides=("choice",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for each event with data after the first `[DONE]`, unless the data are another `[DONE]`."""
    body = exchange.response
    if isinstance(body, Stream) and NotJson.DONE in body.values:
        first = body.values.index(NotJson.DONE)
        for event, value in enumerate(body.values[first + 1 :], first + 1):
            if value is not NotJson.DONE and value is not NotJson.EMPTY:
                yield Hit("data after [DONE]; clients have stopped reading", event=event)
