"""The data of an event stand on several `data:` lines.

A reader joins them by a line feed, which JSON allows between its tokens.

## Why it matters
Legal, and yet a trap: clients that read an event stream line by line take each line for an event of its own, and fail
on JSON that is cut.

## What to do
* As a server's author: Serialise each chunk on one line, without indentation.
* As a client's user: Collect the `data` lines up to the blank line, join them with a line feed, and parse then.

## Bad
```
data: {"id":"chatcmpl-1",
data: "choices":[]}
```

## Good
```
data: {"id":"chatcmpl-1","choices":[]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM, framing_of

__all__ = ["RULE", "check"]

RULE = Rule(
    name="sse-multiline-data",
    severity=Severity.NOTE,
    summary="The data of an event stand on several `data:` lines.",
    since="0.1.0",
    needs=("stream", "odd framing"),
    sources=(
        EVENT_STREAM,
        Citation("recorded OpenAI streams: one data line an event", "2026-08"),
    ),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """One hit, on the first event of several lines."""
    framing = framing_of(exchange)
    several = [event for event in framing.events if event.segments is not None] if framing is not None else []
    if several:
        yield Hit(f"{count_of(len(several), 'event')} with data over several lines", offset=several[0].offset)
