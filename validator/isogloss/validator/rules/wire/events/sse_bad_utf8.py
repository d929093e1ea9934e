"""An event stream is not UTF-8.

The rule `json-bad-utf8` reports bytes that are not UTF-8 inside the JSON of an event, event by event. This rule is
about such bytes outside of the JSON, and about the two halves of one character that a server split over two events.

## Why it matters
An event stream is always UTF-8. Some servers send the bytes of a token before its character is complete, and so split
emoji and Chinese characters over events. Each half decodes to a replacement character, or raises an error. Joining the
events does not bring the character back.

## What to do
* As a server's author: Keep an incremental decoder for each choice, and send a character only when all of its bytes are
  there.
* As a client's user: Decode the body incrementally in case your own reader cuts characters. If the server cut them, the
  halves cannot be joined after JSON decoding: report it.

## Bad
```
data: {"choices":[{"delta":{"content":"\\xf0\\x9f"}}]}

data: {"choices":[{"delta":{"content":"\\x98\\x80"}}]}
```

## Good
```
data: {"choices":[{"delta":{"content":"😀"}}]}
```
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from isogloss.validator.exchange import Exchange, NotJson, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.sse import Events
from isogloss.validator.text import bad_utf8

RULE = Rule(
    severity=Severity.ERROR,
    sources=(Citation("WHATWG HTML Living Standard, 9.2.5 Parsing an event stream", "2025-06"),),
    needs=("unusual framing",),
    replaces=("json-bad-utf8",),
    reach="inside",
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first half of each character that is split over two events.

    Also yield one hit for all runs of bad bytes outside of JSON, at the first of them.
    """
    body = exchange.response
    if not isinstance(body, Stream) or body.framing is None or not body.framing.bad_utf8:
        return
    text, events = body.text.data, body.framing.events
    runs = [(text[start:end], start, _in_json(body, events, start)) for start, end in bad_utf8(text)]
    for (first, _, position), (second, _, next_position) in pairwise(runs):
        if position and next_position and next_position[0] == position[0] + 1 and _is_character(first + second):
            both = [position[0], next_position[0]]
            yield Hit("a character is split over two events", event=both[0], offset=position[1], events=both)
    outside = [start for _, start, position in runs if position is None]
    if outside:
        yield Hit(f"{count_of(len(outside), 'run')} of bytes that are not UTF-8", offset=outside[0])


def _in_json(body: Stream, events: Events, offset: int) -> tuple[int, int] | None:
    """Return the number of the event whose JSON contains a byte of the text, and the byte's offset in the data.

    Return ``None`` if the byte is not in the JSON of an event.
    """
    number = bisect_right(events.offsets, offset) - 1
    if number < 0 or isinstance(body.values[number], NotJson):
        return None
    event = events[number]
    lines = event.segments or [(0, event.offset)]
    data_start, text_start = lines[bisect_right(lines, offset, key=lambda line: line[1]) - 1]
    position = data_start + offset - text_start
    return (number, position) if position < len(event.data) else None


def _is_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False
