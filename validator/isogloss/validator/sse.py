"""Parse the framing of event streams, and keep every fault that a lenient parser would ignore.

The algorithm is that of https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation,
except that nothing is discarded: events keep their raw bytes, and an incomplete last event is kept and marked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from operator import add
from typing import NamedTuple

from isogloss.validator.text import bad_utf8

__all__ = ["Event", "Framing", "parse"]

_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 16
_FIELDS = (b"data", b"event", b"id", b"retry")


class Event(NamedTuple):
    """One event: the bytes of its data, and where in the text they stand."""

    data: bytes
    """The values of its `data` fields, joined by LF."""
    offset: int
    """The offset of the first data byte in the text; for empty data, where it would be."""
    segments: list[tuple[int, int]] | None
    """The segments of data from several lines, as `Text.derived` takes them; None if data is one slice of the text."""
    type: str | None
    """The value of its `event` field; None if that is missing or empty."""
    complete: bool
    """False if the input ends before the blank line after the event: a conforming reader discards such an event."""


@dataclass(slots=True)
class Framing:
    """The events of a stream, and what is unusual in its framing. Every int is a byte offset in the text."""

    events: list[Event] = field(default_factory=list)
    """All events in order, with `[DONE]` and empty ones. A block without a `data` field is not an event."""
    bom: bool = False
    """The text begins with a UTF-8 byte order mark."""
    comments: list[int] = field(default_factory=list)
    """Lines that begin with a colon."""
    line_endings: dict[str, int] = field(default_factory=dict)
    """Each kind of line ending that occurs (LF, CRLF, CR), with the offset of its first occurrence."""
    no_space: list[int] = field(default_factory=list)
    """`data` lines with no space between the colon and the value."""
    fields: list[tuple[str, int]] = field(default_factory=list)
    """`event`, `id` and `retry` lines: the name of the field, and the offset of the line."""
    unknown_lines: list[int] = field(default_factory=list)
    """Lines that are neither blank, nor a comment, nor one of the four fields."""
    truncated: bool = False
    """The input ended inside an event, or inside the name of a field."""
    bad_utf8: list[int] = field(default_factory=list)
    """Runs of bytes that are not UTF-8. A character that is split over two events is a run in each of them."""
    ordinary: bool = field(default=False, compare=False)
    """Every event is one line of data, written as `data: `, and a blank line; both end in LF."""

    @property
    def odd(self) -> bool:
        """Whether anything in the framing may be unusual."""
        return not self.ordinary or bool(self.bad_utf8)


def parse(text: bytes) -> Framing:
    """Return the framing of a whole event stream. Never raises; time is linear in the length of `text`."""
    framing = _parse_ordinary(text) or _parse_lines(text)
    if not text.isascii():
        framing.bad_utf8 = [start for start, _ in bad_utf8(text)]
    return framing


def _parse_ordinary(text: bytes) -> Framing | None:
    """Return the framing of a stream that has only `data: <one line>` events; None for any other stream."""
    if not (text.startswith(b"data: ") and text.endswith(b"\n\n")) or b"\r" in text:
        return None
    values = text[6:-2].split(b"\n\ndata: ")
    if text.count(b"\n") != 2 * len(values):  # true if a value contains a line feed
        return None
    offsets = accumulate(map(add, map(len, values), repeat(8)), initial=6)
    fields = zip(values, offsets, repeat(None), repeat(None), repeat(True))
    # Most streams are parsed here, so the loop runs in C.
    events: list[Event] = list(map(tuple.__new__, repeat(Event), fields))
    return Framing(events, line_endings={"\n": 6 + len(values[0])}, ordinary=True)


def _parse_lines(text: bytes) -> Framing:
    """Return the framing of any stream, read line by line."""
    framing = Framing(bom=text.startswith(_BOM))
    data: list[tuple[int, bytes]] = []  # offsets and values of the data lines of the current event
    type_: str | None = None
    known_endings: set[bytes] = set()
    offset = len(_BOM) if framing.bom else 0
    endings = framing.line_endings
    for whole in _lines(text, offset):
        line = whole.rstrip(b"\r\n")
        start, offset = offset, offset + len(whole)
        ending = whole[len(line) :]
        if ending and ending not in known_endings:
            known_endings.add(ending)
            endings[ending.decode()] = start + len(line)
        if not line:
            if data:
                framing.events.append(_event(data, type_, complete=True))
                data = []
            type_ = None
            continue
        name, colon, value = line.partition(b":")
        if name == b"data":
            space = value[:1] == b" "
            if value and not space:
                framing.no_space.append(start)
            data.append((start + len(name) + len(colon) + space, value[1:] if space else value))
        elif not name:
            framing.comments.append(start)
        elif name in _FIELDS:
            framing.fields.append((name.decode(), start))
            if name == b"event":
                type_ = value[value[:1] == b" " :].decode(errors="replace") or None
        elif not ending and any(known.startswith(line) for known in _FIELDS):
            framing.truncated = True
        else:
            framing.unknown_lines.append(start)
    if data:
        framing.events.append(_event(data, type_, complete=False))
        framing.truncated = True
    return framing


def _lines(text: bytes, start: int) -> Iterator[bytes]:
    """The lines from an offset on, each with its end, split block by block."""
    while start < len(text):
        end = text.rfind(b"\n", start, start + _BLOCK) + 1 or len(text)
        yield from text[start:end].splitlines(keepends=True)
        start = end


def _event(lines: list[tuple[int, bytes]], type_: str | None, *, complete: bool) -> Event:
    offset, data = lines[0]
    if len(lines) == 1:
        return Event(data, offset, None, type_, complete)
    starts = accumulate((len(value) + 1 for _, value in lines), initial=0)
    segments = [(here, there) for here, (there, _) in zip(starts, lines, strict=False)]
    return Event(b"\n".join(value for _, value in lines), offset, segments, type_, complete)
