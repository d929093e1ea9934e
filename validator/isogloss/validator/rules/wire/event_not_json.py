"""The data of an event are neither JSON nor `[DONE]`.

JSON with a fault in it is told by the rules of the group `json`; here nothing of the data is JSON, or there are none.
An `error` event with plain text is left to `error-in-stream`, an event that the stream ends in to `event-truncated`.

## Why it matters
Clients parse the data of every event, and one event that is no JSON ends the whole answer: the `openai` package for
Python raises on it, on `data:` without anything behind it too. Keep-alives belong into comments (`: ping`), which
parsers skip.

## Bad
```
data: ping

data:
```

## Good
```
: ping
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Event, Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit, Rule, Source
from isogloss.validator.rules.wire._response import body_of

__all__ = ["RULE", "check"]

RULE = Rule(
    name="event-not-json",
    severity=Severity.ERROR,
    summary="The data of an event are neither JSON nor `[DONE]`.",
    since="0.1.0",
    sources=(
        Source("API reference, the chat completion chunk object: what each event holds", "2026-04"),
        Source("openai (PyPI) 3.52.0, _streaming.py: json() of every event's data", "2026-11"),
    ),
    needs=("stream",),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """A hit on every whole event of which nothing is JSON."""
    body = body_of(exchange)
    if not isinstance(body, Stream) or not {Event.BROKEN, Event.EMPTY} & {
        value for value in body.values if isinstance(value, Event)
    }:
        return
    framed = body.framing.events if body.framing is not None else None
    for number, value in enumerate(body.values):
        if value is not Event.BROKEN and value is not Event.EMPTY:
            continue
        if framed is not None and (not framed[number].complete or framed[number].type == "error"):
            continue
        yield Hit("the event has no data" if value is Event.EMPTY else "the event's data are no JSON", event=number)
