"""The events of a stream arrive all at the end, although the answer took long.

Only a capture that has the times at which the bytes of the body arrived (`arrivals`) can break this rule. The
recordings of `isogloss probe` have them. A stream is buffered if at least five chunks with something in their deltas
came together: a second or more after the request, and faster than 5,000 chunks a second. A stream that begins late, and
then sends chunk after chunk, is not buffered. It makes no difference if the role came earlier. If other requests were
sent at the same time (`beside_others`), the answer may have waited for them, and is not checked.

## Why it matters
Clients request a stream to show the answer while it is written. If the whole answer comes at once, users wait as long
as without a stream. Clients with a time limit for the first event give up, although the answer is on its way.

## Who breaks
Chats behind nginx, whose `proxy_buffering` is on unless somebody turns it off
([ChronoAIProject/NyxID#1206](https://github.com/ChronoAIProject/NyxID/pull/1206),
[lm-sys/FastChat#2337](https://github.com/lm-sys/FastChat/pull/2337)); Pi on llama.cpp before June 2026, when it began
to send `X-Accel-Buffering: no` ([ggml-org/llama.cpp#24774](https://github.com/ggml-org/llama.cpp/pull/24774)).

## What to do
* As a server's author: Write and flush each event when it is made. Do not wait for the whole answer, even if you have
  to read tool calls out of it. Send `X-Accel-Buffering: no`, and turn off buffering and compression in the proxies in
  front.
* As a client's user: Send the request to the server without the proxy. If that streams, change the proxy. If not, allow
  as much time for the first event as for the whole answer.

## Bad
```
{"sse": "data: …", "arrivals": [[1804, 6.21]]}
```

## Good
```
{"sse": "data: …", "arrivals": [[310, 0.4], [608, 1.2], [906, 2.1], [1204, 3.3], [1502, 4.7], [1804, 6.2]]}
```
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.rules import Citation, Hit, Rule
from isogloss.validator.sse import Event
from isogloss.validator.views import items, obj

RULE = Rule(
    severity=Severity.NOTE,
    sources=(
        Citation(
            "API reference, create chat completion: stream, the response is streamed to the client as it is generated",
            "2026-04",
        ),
        Citation("ggml-org/llama.cpp#24774: nginx buffers unless X-Accel-Buffering says no", "2026-06"),
    ),
    needs=("times of arrival",),
)

_MIN_CHUNKS = 5
"""Least number of chunks. Fewer chunks may well come together."""

_LONG = 1.0
"""Least number of seconds until the first chunk. A quicker answer keeps nobody waiting."""

_MAX_GAP = 0.0002
"""Seconds from one chunk to the next, on average. Chunks that come faster were written before they were sent."""


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the first chunk with content if all chunks with content came late and at almost the same time."""
    arrivals = exchange.http.arrivals
    body = exchange.response
    if not arrivals or not isinstance(body, Stream) or body.framing is None:
        return
    events = [number for number, value in enumerate(body.values) if _has_content(value)]
    if len(events) < _MIN_CHUNKS:
        return
    sizes = [size for size, _ in arrivals]
    first, last = (_arrival(body.framing.events[number], sizes, arrivals) for number in (events[0], events[-1]))
    if first is None or last is None or first < _LONG or last - first > (len(events) - 1) * _MAX_GAP:
        return
    yield Hit(
        f"{len(events)} chunks came within {1000 * (last - first):.0f} ms, {first:.1f} s after the request",
        event=events[0],
    )


def _has_content(value: object) -> bool:
    """Return whether a delta of a chunk has any content besides the role."""
    return any(
        any(content for name, content in (obj(choice.get("delta")) or {}).items() if name != "role")
        for _, choice in items((obj(value) or {}).get("choices"))
    )


def _arrival(event: Event, sizes: Sequence[int], arrivals: Sequence[tuple[int, float]]) -> float | None:
    """Return the seconds until the whole event had arrived, or ``None`` if that is not known."""
    number = bisect_left(sizes, event.offset + len(event.data))
    return arrivals[number][1] if number < len(arrivals) else None
