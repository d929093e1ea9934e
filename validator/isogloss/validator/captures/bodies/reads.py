"""Join what a program read of a stream, if it logged or printed each read as a string.

A read ends where the network cuts, or after so many bytes: it may hold several events, and an event may begin in one
read and end in another. Python prints ``b'data: {"id": …'``, perhaps behind words that are the same for each read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from isogloss.validator.captures.bodies.objects import string_on
from isogloss.validator.captures.capture import unpacked
from isogloss.validator.decode import is_whole_event
from isogloss.validator.text import Text

__all__ = ["BEGINS_EVENT", "Reads", "ReadsOnLines", "begins_with_json", "data_of"]

BEGINS_EVENT = ("data:", "event:", "id:", "retry:", ": ")
"""How the piece with the first event begins."""
_BEGINS_EVENT = tuple(begins.encode() for begins in BEGINS_EVENT)
_BEGINS_JSON = rb"\s*+(?:(?:event|id|retry)?:[^\n]*+\n\s*+)*+data:[ ]?\{"
_COLON = b":"
"""How a comment begins, and also a read that was cut behind the name of a property."""
_DATA = rb"(?m)^data:[ \t]*+([^\r\n]*+)(\r?\n)?"
_ENDS = (b"}", b"[DONE]")
_MOST_READS = 8
"""In so many reads, an event may be complete without the end of its line."""
_LONGEST = 1 << 20
"""How many bytes of an event are kept that is not complete."""
_QUOTES = (b"'", b'"')


class Reads:
    """The reads of a stream so far."""

    def __init__(self) -> None:
        self._begun: list[Text] = []
        """The reads with the event that is not complete yet. The first one begins with it."""
        self._size = 0

    @property
    def is_cut(self) -> bool:
        """Whether an event is not complete yet."""
        return bool(self._begun)

    def events(self, read: Text) -> list[Text] | None:
        """Return the lines with data that a read completes, or ``None`` if it neither begins nor completes an event."""
        if self._size > _LONGEST or (not self._begun and not _begins_event(read.data.lstrip())):
            return None
        if self._begun and not self._may_be_completed_by(read.data):
            self._keep(read)
            return []
        joined, before = self._joined_with(read), self._size
        spans, rest = _split(joined.data)
        events = [
            joined.slice(start, end) if start < before else read.slice(start - before, end - before)
            for start, end in spans
        ]
        if rest >= before:
            self._begun, self._size = [], 0
        if rest < len(joined.data):
            self._keep(read.slice(rest - before, len(read.data)) if rest >= before else read)
        return events

    def take_rest(self) -> list[Text]:
        """Return the line with the data of the event that no later read completes, if there is one."""
        rest = self._joined_with(None) if self._begun else Text(b"")
        self._begun, self._size = [], 0
        return [rest] if re.match(_DATA, rest.data) else []

    def _keep(self, read: Text) -> None:
        self._begun.append(read)
        self._size += len(read.data)

    def _may_be_completed_by(self, read: bytes) -> bool:
        return b"\n" in read or (len(self._begun) < _MOST_READS and read.endswith(_ENDS))

    def _joined_with(self, read: Text | None) -> Text:
        reads = self._begun if read is None else [*self._begun, read]
        return reads[0] if len(reads) == 1 else unpacked(b"".join(one.data for one in reads), reads[0])


class ReadsOnLines:
    """Finds what ``on_line`` finds in a line, and in the events of a stream if each line is a string with a read of it.

    The first string begins with an event of JSON. The words before each string are the same, except for numbers. A read
    that a log has twice, behind other words, counts once.
    """

    def __init__(self, on_line: Callable[[Text], Iterable[Text]]) -> None:
        self._on_line = on_line
        self._reads = Reads()
        self._words: bytes | None = None
        """What stands before each string, or ``None`` if no stream has begun."""
        self._last = b""

    def __call__(self, line: Text) -> Iterable[Text]:
        """Return what ``on_line`` finds in a line, or in the events that it completes."""
        found = string_on(line) if line.data.endswith(_QUOTES) else None
        return self._on_line(line) if found is None else self._on_string(line, *found)

    def rest(self) -> Iterator[Text]:
        """Yield what ``on_line`` finds in the event that no line has completed."""
        for event in self._reads.take_rest():
            yield from self._on_line(event)

    def _on_string(self, line: Text, words: bytes, read: Text) -> Iterable[Text]:
        words = re.sub(rb"\d+", b"0", words)
        if self._words is not None and words != self._words and read.data == self._last:
            return ()
        before: list[Text] = []
        may_go_on = self._reads.is_cut and read.data.startswith(_COLON)
        if begins_with_json(read) and not may_go_on:  # so an event that was not complete remains so
            before = list(self.rest())
            self._words = words
        events = self._reads.events(read) if words == self._words else None
        if events is None:
            return chain(before, self._on_line(line))
        self._last = read.data
        return chain(before, *map(self._on_line, events))


def begins_with_json(read: Text) -> bool:
    """Return whether a read begins with an event of JSON, or with a part of one."""
    return re.match(_BEGINS_JSON, read.data) is not None


def data_of(event: Text) -> Text:
    """Return the data of an event in its line."""
    found = re.match(_DATA, event.data)
    return event.slice(*found.span(1)) if found else event


def _begins_event(read: bytes) -> bool:
    """Return whether a read begins an event, perhaps with a part of the name of its first field, or is blank."""
    return read.startswith(_BEGINS_EVENT) or any(field.startswith(read) for field in _BEGINS_EVENT)


def _split(data: bytes) -> tuple[list[tuple[int, int]], int]:
    """Return where each line with data in a text begins and ends, and where an event begins that is not complete."""
    found = list(re.finditer(_DATA, data))
    rest = data.rfind(b"\n") + 1
    if found and found[-1][2] is None:  # the last line has no end
        rest = len(data) if is_whole_event(found[-1][1]) else found.pop().start()
    return [(one.start(), one.end(1)) for one in found], rest
