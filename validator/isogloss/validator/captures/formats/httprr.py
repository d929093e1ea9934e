"""Traces of httprr (Go): HTTP messages as they are written on the wire, in pairs, each with its length in front.

The first line is ``httprr trace v1``. Each pair begins with a line of two numbers, the bytes of the request and those
of the response; these follow, without anything between or behind them (``Open`` in internal/httprr/rr.go of
golang/oscar; as tmc/langchaingo, internal/httprr/rr.go, has it, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.wire import wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "httprr"

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
        asked = next(wire_messages(text.slice(start, middle)), None)
        answered = next(wire_messages(text.slice(middle, position)), None)
        yield wire_exchange(capture, number, text.slice(start, position), asked, answered)
        number += 1
    if position != len(text.data):
        place = text.place(min(position, len(text.data)))
        yield Skipped(file=capture.name, reason=f"damaged at line {place.line}: lengths that lead to no next pair")
