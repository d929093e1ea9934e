"""A line of an event stream is none of its fields.

The fields are `data`, `event`, `id` and `retry`, in lower case and followed by a colon. If the line looks like data,
this is an error: JSON without `data:`, or after `Data:`, `error:` or an indent, the end of an event before the first
one, or a page of HTML where events should go on. It is an error, too, if the JSON of the event before is cut, so that
the line may be the rest of it. Any other line is a warning.

## Why it matters
Readers skip such a line without an error. If it holds a chunk, a part of the answer is lost. If it is the rest of a
JSON text that was printed over several lines after one `data:`, the event is cut after its first line.

## Who breaks
Clients of llama.cpp's servers of 2025, which sent errors behind `error:`: openai-go drops the line, and fails at the
event without data that remains ([coddy-project/coddy-agent#106](https://github.com/coddy-project/coddy-agent/pull/106)).

## What to do
* As a server's author: Begin every line of an event with `data: `; serialise the JSON on one line, without indentation,
  and write the field's name in lower case.
* As a client's user: Readers that follow the standard lose the line. If it holds a chunk, read the body yourself as a
  stopgap, and report it.

## Bad
```
data: {
  "id": "chatcmpl-1"
}
```

## Good
```
data: {"id":"chatcmpl-1"}
```
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from isogloss.validator.exchange import Exchange, Stream
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of
from isogloss.validator.rules import ANYTHING, Citation, Hit, Rule
from isogloss.validator.rules.gaps import Gap
from isogloss.validator.rules.wire._response import EVENT_STREAM
from isogloss.validator.streams.elided import elided_lines
from isogloss.validator.streams.trace import Trace

RULE = Rule(
    severity=Severity.WARNING,
    sources=(EVENT_STREAM, Citation("coddy-project/coddy-agent#106", "2026-08")),
    needs=("unusual framing",),
    replaces=("json", "schema", "stream", "event-not-json"),
    reach="inside",
)


_LOST_DATA = (
    rb"(?:\xef\xbb\xbf)?[ \t]*(?:[\[{}\]\"]|(?:b['\"])?(?i:data)[ \t]*:|\w{1,32}:[ \t]*\{|<(?i:!doctype|html)\b)"
)
"""The beginning of a line that looks like data or replaces them: JSON, also under a field that does not exist
(`error:`), `data:` that is written in another way, such as Python's `b'data:`, or a page that a gateway sends in place
of the rest."""
_END_OF_JSON = rb"[^\r\n]*+(?<=[}\]])[\r\n]"
"""The end of a line that ends as JSON does. Before the first event it is the rest of one, if a capture begins there."""
_WHITE_SPACE = rb"[ \t]++[\r\n]"
_CHUNK_SIZE = rb"[0-9A-Fa-f]{1,6}\r\n"
_UNDECODED = ", such as the sizes of a chunked transfer that nobody decoded"


def check(exchange: Exchange) -> Iterator[Hit]:
    """Yield a hit for the events whose JSON goes on in unknown lines, and one for the first of the other lines.

    The first of those that look like lost data has a hit of its own.
    """
    body = exchange.response
    if not isinstance(body, Stream) or body.framing is None:
        return
    elided = set(elided_lines(exchange))
    unknown_lines = [offset for offset in body.framing.unknown_lines if offset not in elided]
    if unknown_lines and body.framing.unseparated:  # what should be a blank line between them
        is_blank = re.compile(_WHITE_SPACE).match
        unknown_lines = [offset for offset in unknown_lines if not is_blank(body.text.data, offset)]
    before = {offset: bisect_left(body.framing.events.offsets, offset) - 1 for offset in unknown_lines}
    is_chunk_size = re.compile(_CHUNK_SIZE).match
    cut = {event: offset for offset, event in reversed(before.items()) if event in body.cut}
    if cut:
        events = sorted(cut)
        message = "the JSON of this event goes on in lines of no known field"
        if is_chunk_size(body.text.data, cut[events[0]]):
            message += _UNDECODED
        yield Hit(message, event=events[0], events=events, severity=Severity.ERROR)
    unknown = [offset for offset, event in before.items() if event not in body.cut]
    lost = _lost_lines(body, unknown)
    if lost:
        yield Hit(f"{count_of(len(lost), 'line')} of data that no reader sees", offset=lost[0], severity=Severity.ERROR)
    if len(lost) < len(unknown):
        lost_offsets = set(lost)
        first = next(offset for offset in unknown if offset not in lost_offsets)
        message = f"{count_of(len(unknown) - len(lost), 'line')} of no known field"
        if is_chunk_size(body.text.data, first):
            message += _UNDECODED
        yield Hit(message, offset=first)


def gaps(trace: Trace) -> Iterator[Gap]:
    """Yield the lines of data that are in no event, each between the events around it."""
    stream = trace.stream
    if stream.framing is not None:
        for offset in _lost_lines(stream, stream.framing.unknown_lines):
            yield Gap(bisect_left(stream.framing.events.offsets, offset) - 0.5, frozenset(ANYTHING))


def _lost_lines(stream: Stream, unknown_lines: Iterable[int]) -> list[int]:
    """Return the offsets of those unknown lines that look like data, or replace them."""
    match, ends_json = re.compile(_LOST_DATA).match, re.compile(_END_OF_JSON).match
    data, offsets = stream.text.data, stream.framing.events.offsets if stream.framing is not None else ()
    begins = offsets[0] if offsets else 0
    return [one for one in unknown_lines if match(data, one) or (one < begins and ends_json(data, one))]
