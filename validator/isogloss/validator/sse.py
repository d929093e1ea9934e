"""Parse the framing of event streams, and keep every fault that a lenient parser would ignore.

The algorithm is that of https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation,
except that nothing is discarded: events keep their raw bytes, and an incomplete last event is kept and marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate
from typing import overload

from msgspec import Struct

from isogloss.validator.text import bad_utf8

__all__ = ["Event", "Events", "Framing", "parse", "restore_blank_lines", "separate", "separate_joined"]

_BOM = b"\xef\xbb\xbf"
_DATA = b"data: "
_BLOCK = 1 << 16
_JOINED = rb"(?<=\})[ \t]*data:[ ]?(?=\{|\[DONE\])"
"""Where the next event begins in a line that holds several. A text in an event may have this, too."""
_FIELDS = (b"data", b"event", b"id", b"retry")


class Event(Struct, frozen=True):
    """One event: the bytes of its data, and where they stand in the text."""

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


class Events(Sequence[Event]):
    """The events of a stream. Each event is made when it is accessed: for most events, only the data are needed."""

    __slots__ = ("_offsets", "_segments", "_types", "data", "incomplete")

    def __init__(self, data: list[bytes] | None = None) -> None:
        """Make events with these data, or no events without data.

        Each event has its data on one line behind `data: `, with a blank line below it.
        """
        self.data: list[bytes] = [] if data is None else data
        """The data of each event."""
        self.incomplete = False
        """Whether the input ends before the blank line after the last event."""
        self._offsets: list[int] | None = [] if data is None else None
        self._segments: dict[int, list[tuple[int, int]]] = {}
        self._types: dict[int, str] = {}

    def add(self, lines: list[tuple[int, bytes]], type_: str | None) -> None:
        """Add an event with these data lines. Each line is a pair of the offset of its value, and the value."""
        offset, data = lines[0]
        if len(lines) > 1:
            starts = accumulate((len(value) + 1 for _, value in lines), initial=0)
            self._segments[len(self.data)] = [
                (data_offset, text_offset) for data_offset, (text_offset, _) in zip(starts, lines, strict=False)
            ]
            data = b"\n".join(value for _, value in lines)
        if type_ is not None:
            self._types[len(self.data)] = type_
        self.offsets.append(offset)
        self.data.append(data)

    def lines(self, number: int) -> list[tuple[int, bytes]]:
        """Return the data lines of an event as :meth:`add` takes them."""
        if number not in self._segments:
            return [(self.offsets[number], self.data[number])]
        offsets = [text_offset for _, text_offset in self._segments[number]]
        return list(zip(offsets, self.data[number].split(b"\n"), strict=True))

    @property
    def has_data_of_several_lines(self) -> bool:
        """Whether an event has more than one line of data."""
        return bool(self._segments)

    @property
    def offsets(self) -> list[int]:
        """The offset of each event, as :class:`Event` has it."""
        if self._offsets is None:
            between = len(b"\n\n" + _DATA)
            self._offsets = list(accumulate((len(data) + between for data in self.data[:-1]), initial=len(_DATA)))
        return self._offsets

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self.data))[index]]
        number = range(len(self.data))[index]
        complete = not self.incomplete or number < len(self.data) - 1
        return Event(
            self.data[number], self.offsets[number], self._segments.get(number), self._types.get(number), complete
        )


class Framing:
    """The events of a stream, and what is unusual in its framing. Every int is a byte offset in the text."""

    def __init__(self, events: Events | None = None, *, bom: bool = False, ordinary: bool = False) -> None:
        self.events = Events() if events is None else events
        """All events in order, with `[DONE]` and empty ones. A block without a `data` field is not an event."""
        self.bom = bom
        """The text begins with a UTF-8 byte order mark."""
        self.comments: list[int] = []
        """Lines that begin with a colon."""
        self.line_endings: dict[str, int] = {}
        """Each kind of line ending that occurs (LF, CRLF, CR), with the offset of its first occurrence."""
        self.no_space: list[int] = []
        """`data` lines with no space between the colon and the value."""
        self.fields: list[tuple[str, int]] = []
        """`event`, `id` and `retry` lines: the name of the field, and the offset of the line."""
        self.unknown_lines: list[int] = []
        """Lines that are neither blank, nor a comment, nor one of the four fields."""
        self.ends_in_name = False
        """The input ended inside the name of a field."""
        self.bad_utf8: list[int] = []
        """Runs of bytes that are not UTF-8. A character that is split over two events is a run in each of them."""
        self.unseparated: list[int] = []
        """The numbers of the events before which there is no blank line. Only :func:`separate` finds them."""
        self.ordinary = ordinary
        """Every event is one line of data, written as `data: `, and a blank line; both end in LF."""

    @property
    def truncated(self) -> bool:
        """Whether the input ended inside an event, or inside the name of a field."""
        return self.events.incomplete or self.ends_in_name

    @property
    def is_unusual(self) -> bool:
        """Whether anything in the framing may be unusual."""
        return not self.ordinary or bool(self.bad_utf8)


def parse(text: bytes) -> Framing:
    """Return the framing of a whole event stream. This never raises, and takes time linear in the length of `text`."""
    framing = _parse_ordinary(text) or _parse_lines(text)
    if not text.isascii():
        framing.bad_utf8 = [start for start, _ in bad_utf8(text)]
    return framing


def separate(framing: Framing, is_event: Callable[[bytes], bool]) -> None:
    """Make an event of each data line, where events follow each other without a blank line.

    They do where an event has several lines of data, and `is_event` is true for each of them. If the last line is one
    of these, it is as complete as the lines before it: what ends none of them is missing behind it, too.
    """
    if not framing.events.has_data_of_several_lines:
        return
    events = Events()
    for number, event in enumerate(framing.events):
        lines = framing.events.lines(number)
        if len(lines) > 1 and all(is_event(value) for _, value in lines):
            framing.unseparated += range(len(events) + 1, len(events) + len(lines))
            for line in lines:
                events.add([line], event.type)
        else:
            events.add(lines, event.type)
    events.incomplete = framing.events.incomplete and not _is_last(framing.unseparated, events)
    framing.events = events


def separate_joined(framing: Framing, is_event: Callable[[bytes], bool]) -> bool:
    """Make an event of each part of a data line in which events follow each other without a line end.

    The next event begins behind a whole one, for which `is_event` is true. Return whether there are such lines. If the
    last part of the last line is whole, too, it is complete, as in :func:`separate`.
    """
    joined = re.compile(_JOINED)
    events, unseparated, known = Events(), list[int](), set(framing.unseparated)
    for number, event in enumerate(framing.events):
        if number in known:
            unseparated.append(len(events))
        spans = [match.span() for match in joined.finditer(event.data)] if event.segments is None else []
        starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(event.data)]
        parts = [event.data[start:end] for start, end in zip(starts, ends, strict=True)]
        if spans and all(map(is_event, parts[:-1])):
            unseparated += range(len(events) + 1, len(events) + len(parts))
            for start, part in zip(starts, parts, strict=True):
                events.add([(event.offset + start, part)], event.type)
        else:
            events.add(framing.events.lines(number), event.type)
    is_whole = _is_last(unseparated, events) and is_event(events.data[-1])
    events.incomplete = framing.events.incomplete and not is_whole
    is_separated = len(events) > len(framing.events)
    framing.events, framing.unseparated = events, unseparated
    framing.ordinary = framing.ordinary and not is_separated
    return is_separated


def _is_last(unseparated: list[int], events: Events) -> bool:
    """Return whether the last of some events follows another one without a blank line."""
    return unseparated[-1:] == [len(events) - 1]


def restore_blank_lines(framing: Framing, is_event: Callable[[bytes], bool]) -> None:
    """Take the events of a copy of a stream as separated, if there is no blank line in it: the copy has lost them.

    A copy may also have lost only the blank line at its end: then a last event for which `is_event` is true is whole.
    """
    if framing.unseparated and len(framing.unseparated) == len(framing.events) - 1:
        framing.unseparated = []
        framing.events.incomplete = framing.ends_in_name = False
    elif framing.events.incomplete and is_event(framing.events.data[-1]):
        framing.events.incomplete = False


def _parse_ordinary(text: bytes) -> Framing | None:
    """Return the framing of a stream that has only `data: <one line>` events; None for any other stream."""
    if not (text.startswith(_DATA) and text.endswith(b"\n\n")) or b"\r" in text:
        return None
    lines = BytesIO(text).readlines()
    start = len(_DATA)
    data = [line[start:-1] for line in lines[::2] if line.startswith(_DATA)]
    if not len(data) == lines[1::2].count(b"\n") == len(lines) / 2:
        return None
    framing = Framing(Events(data), ordinary=True)
    framing.line_endings["\n"] = start + len(data[0])
    return framing


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
                framing.events.add(data, type_)
                data = []
            type_ = None
        elif line.startswith(_DATA):
            data.append((start + len(_DATA), line[len(_DATA) :]))
        else:
            name, colon, value = line.partition(b":")
            if name == b"data":
                if value:
                    framing.no_space.append(start)
                data.append((start + len(name) + len(colon), value))
            elif not name:
                framing.comments.append(start)
            elif name in _FIELDS:
                framing.fields.append((name.decode(), start))
                if name == b"event":
                    type_ = value[value[:1] == b" " :].decode(errors="replace") or None
            elif not ending and any(known.startswith(line) for known in _FIELDS):
                framing.ends_in_name = True
            else:
                framing.unknown_lines.append(start)
    if data:
        framing.events.add(data, type_)
        framing.events.incomplete = True
    return framing


def _lines(text: bytes, start: int) -> Iterator[bytes]:
    """Yield the lines from an offset on, each with its line ending. The text is split block by block."""
    while start < len(text):
        end = text.rfind(b"\n", start, start + _BLOCK) + 1 or len(text)
        yield from text[start:end].splitlines(keepends=True)
        start = end
