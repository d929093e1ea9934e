"""A stream ends inside an event.

An event ends with a blank line. If the stream ends before that line, a reader drops what it has of the event. If only
the blank line after `[DONE]` is missing, this is a note. If the last event is whole, and there is no blank line before
it either, `events-not-separated` reports both.

## Why it matters
Either the connection was cut, and the answer with it, or the server does not finish its last event. In the second case,
a reader that follows the standard never sees that chunk, a lenient one does, and the two get different answers. Half of
an answer is easily stored as the whole answer.

## Who breaks
Clients that take any end of the connection for the end of the answer: Reasonix kept half the arguments of a call until
June 2026, and DeepSeek refused each later request of that conversation
([esengine/DeepSeek-Reasonix#3957](https://github.com/esengine/DeepSeek-Reasonix/pull/3957)).

## What to do
* As a server's author: End every event, the last one too, with a blank line, and flush before you close the connection.
  Count a `Content-Length` in bytes, not in characters. Check timeouts of workers and proxies if events break off in the
  middle.
* As a client's user: Treat the answer as cut unless a finish reason and `[DONE]` came before, and repeat the request.
  Do not parse half an event.

## Bad
```
data: {"id":"chatcmpl-1","object":"chat.comple
```

## Good
```
data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…}

data: [DONE]

```
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Hit, Rule
from isogloss.validator.rules.wire._response import EVENT_STREAM

RULE = Rule(
    severity=Severity.ERROR,
    catalogue=(65,),
    sources=(EVENT_STREAM,),
    needs=("unusual framing",),
    replaces=("json-truncated", "stream-property-partial", "usage-null-missing"),
    reach="inside",
)


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the event in which the stream ends.

    If the stream ends inside the name of a field that begins a new event, the hit is at the end of the stream.
    """
    body = exchange.response
    if not isinstance(body, Stream) or body.framing is None or not body.framing.truncated:
        return
    events = body.framing.events
    if not events or events[-1].complete:
        yield Hit("the stream ends inside the name of a field", offset=len(body.text.data))
    elif events[-1].data.rstrip(b"\\n \t").endswith(b"[DONE]"):
        yield Hit("no blank line follows [DONE]", event=len(events) - 1, severity=Severity.NOTE)
    else:
        yield Hit("the stream ends inside this event", event=len(events) - 1)
