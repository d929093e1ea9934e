"""The data of an event stand on several `data:` lines.

A reader joins them with a line feed, which JSON allows between its tokens.

## Why it matters
This is legal, but clients that read an event stream line by line take each line for an event of its own. They fail,
because the JSON in each line is cut.

## What to do
* As a server's author: Serialise each chunk on one line, without indentation.
* As a client's user: Collect the `data` lines up to the blank line, join them with a line feed, and then parse them.

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

RULE = Rule(
    severity=Severity.NOTE,
    needs=("unusual framing",),
    sources=(
        EVENT_STREAM,
        Citation("recorded OpenAI streams: one data line for each event", "2026-08"),
    ),
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first event with several data lines."""
    framing = framing_of(exchange)
    if framing is None or not framing.events.has_data_of_several_lines:
        return
    multiline_events = [event for event in framing.events if event.segments is not None]
    yield Hit(
        f"{count_of(len(multiline_events), 'event')} with data over several lines", offset=multiline_events[0].offset
    )
