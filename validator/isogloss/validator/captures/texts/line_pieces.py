"""Find the events in what a program read of a stream, if it logged each read as a string on a line of its own.

A read ends where the network cuts: it may hold several events, and an event may begin in one read and end in another.
"""

from __future__ import annotations

import re

from isogloss.validator.captures.bodies.wrapped import BEGINS_EVENT, name_of_read
from isogloss.validator.captures.capture import unpacked
from isogloss.validator.captures.document import Node
from isogloss.validator.decode import is_whole_event, kind_of_json
from isogloss.validator.text import Text

__all__ = ["Pieces"]

_DATA = rb"(?m)^data:[ \t]*+([^\r\n]*+)(\r?\n)?"
_BEGINS_EVENT = tuple(begins.encode() for begins in BEGINS_EVENT)
_DONE = b"[DONE]"
_ENDS = (b"}", _DONE)
_MOST_READS = 8
"""In so many reads, an event may be complete without the end of its line."""
_LONGEST = 1 << 20
"""How many bytes of an event are kept that is not complete."""


class Pieces:
    """The reads of a stream. ``name`` is that of the strings that hold them."""

    def __init__(self) -> None:
        self.name: str | None = None
        self._begun: list[Text] = []
        """The reads with the event that is not complete yet. The first one begins with it."""
        self._size = 0

    @property
    def is_cut(self) -> bool:
        """Whether an event is not complete yet."""
        return bool(self._begun)

    def events(self, record: Node, name: str | None) -> list[Text] | None:
        """Return the data of the events that the string of a record completes, or ``None`` if it holds no read.

        ``name`` is the name of the strings, if a stream has begun. Before one has, a string with a whole stream is no
        read.
        """
        found = self.name if self._begun else name_of_read(record.value) or name
        text = record.get(found).text() if found and isinstance(record.value, dict) else None
        if text is None or (found != name and _DONE in text.data) or self._size > _LONGEST:
            return None
        if not self._begun and not _begins_event(text.data.lstrip()):
            return None
        if self._begun and not self._may_be_completed_by(text.data):
            self._keep(text)
            return []
        joined, before = self._joined_with(text), self._size
        spans, rest = _split(joined.data)
        events = [
            joined.slice(start, end) if start < before else text.slice(start - before, end - before)
            for start, end in spans
        ]
        if found != name and not any(kind_of_json(event.data) == "chunk" for event in events):
            return None
        self.name = found
        if rest >= before:
            self._begun, self._size = [], 0
        if rest < len(joined.data):
            self._keep(text.slice(rest - before, len(text.data)) if rest >= before else text)
        return events

    def take_rest(self) -> list[Text]:
        """Return the data of the event that no later read completes, if there is one."""
        if not self._begun:
            return []
        rest = self._joined_with(None)
        self._begun, self._size = [], 0
        found = re.match(_DATA, rest.data)
        return [rest.slice(*found.span(1))] if found else []

    def _keep(self, text: Text) -> None:
        self._begun.append(text)
        self._size += len(text.data)

    def _may_be_completed_by(self, read: bytes) -> bool:
        return b"\n" in read or (len(self._begun) < _MOST_READS and read.endswith(_ENDS))

    def _joined_with(self, text: Text | None) -> Text:
        reads = self._begun if text is None else [*self._begun, text]
        return reads[0] if len(reads) == 1 else unpacked(b"".join(read.data for read in reads), reads[0])


def _begins_event(read: bytes) -> bool:
    """Return whether a read begins an event, perhaps with a part of the name of its first field, or is blank."""
    return read.startswith(_BEGINS_EVENT) or any(field.startswith(read) for field in _BEGINS_EVENT)


def _split(data: bytes) -> tuple[list[tuple[int, int]], int]:
    """Return where the data of each event in a text begins and ends, and where an event begins that is not complete."""
    found = list(re.finditer(_DATA, data))
    rest = data.rfind(b"\n") + 1
    if found and found[-1][2] is None:  # the last line has no end
        rest = len(data) if is_whole_event(found[-1][1]) else found.pop().start()
    return [one.span(1) for one in found], rest
