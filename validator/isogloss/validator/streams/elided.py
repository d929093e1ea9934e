"""Find where a copy of a stream leaves out a part, and has dots in its place, as pages of documentation do.

The dots are a line between two events, such as ``...``, ``…`` or ``[...]``, or stand in place of a value in the JSON of
an event. No server sends them, so they are no fault of one. What they stand for may have held what the rest lacks.
"""

from __future__ import annotations

import re

from isogloss.validator import jsontext
from isogloss.validator.exchange import Exchange, Stream

__all__ = ["elided_events", "elided_lines"]

_LINE = rb"[ \t#/(\[<*-]{0,40}(?:\.{2,}|\xe2\x80\xa6)(?![\w\"'{.])"


def elided_lines(exchange: Exchange) -> list[int]:
    """Return the offsets of the lines of a stream that only say that something is left out."""
    stream = exchange.response
    if exchange.live or not isinstance(stream, Stream) or stream.framing is None:
        return []
    match = re.compile(_LINE).match
    return [offset for offset in stream.framing.unknown_lines if match(stream.text.data, offset)]


def elided_events(exchange: Exchange) -> frozenset[int]:
    """Return the numbers of the events that a copy has shortened: in their JSON, dots stand in place of a part."""
    stream = exchange.response
    if exchange.live or not isinstance(stream, Stream) or not stream.unsound:
        return frozenset()
    return frozenset(number for number in stream.unsound if _is_elided(stream, number))


def _is_elided(stream: Stream, number: int) -> bool:
    text = stream.text_of(number)
    return text is not None and jsontext.scan(text.data).elided
