"""Read traces of httprr (Go): pairs of HTTP messages as they are written on the wire, each pair after its two lengths.

The first line is ``httprr trace v1``. Each pair begins with a line of two numbers: the length of the request and the
length of the response, in bytes. The two messages follow, with nothing between or after them (``Open`` in
internal/httprr/rr.go of golang/oscar, and internal/httprr/rr.go of tmc/langchaingo, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.wire import wire_exchange, wire_messages
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "httprr"
WORDS = (b"httprr trace",)

_FIRST = (b"httprr trace v1\n", b"httprr trace v1\r\n")
_LENGTHS = rb"(\d{1,12}) (\d{1,12})\r?\n"


def recognise(capture: Capture) -> int:
    """Recognise a capture whose first line names the format."""
    return 99 if capture.head.startswith(_FIRST) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each pair of the trace, and a :class:`Skipped` if the lengths lead to no next pair."""
    text = capture.text
    position = text.data.find(b"\n") + 1 if text.data.startswith(_FIRST) else 0
    number, pair = 0, re.compile(_LENGTHS)
    while lengths := pair.match(text.data, position):
        start = lengths.end()
        middle = start + int(lengths[1])
        position = middle + int(lengths[2])
        if position > len(text.data):
            break
        request = next(wire_messages(text.slice(start, middle)), None)
        response = next(wire_messages(text.slice(middle, position)), None)
        yield wire_exchange(capture, number, text.slice(start, position), request, response)
        number += 1
    if position != len(text.data):
        place = text.place(min(position, len(text.data)))
        words = f"damaged at line {place.line}: lengths that lead to no next pair"
        yield Skipped(file=capture.name, why=Why(words, Cause.UNREAD))
