"""Find the events in what a program read of a stream, if it logged each read as a string in a record of its own."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from isogloss.validator.captures.bodies.reads import Reads, begins_with_json, data_of
from isogloss.validator.captures.bodies.wrapped import name_of_read
from isogloss.validator.captures.document import Node
from isogloss.validator.decode import kind_of_json
from isogloss.validator.text import Text

__all__ = ["Pieces"]

_DONE = b"[DONE]"


class Pieces:
    """The reads of a stream. ``name`` is that of the strings that hold them.

    Until the first event is complete, nobody knows whether it is a chunk. If it is none, the records so far were read
    for nothing: ``unread`` counts them.
    """

    def __init__(self) -> None:
        self.name: str | None = None
        self._reads = Reads()
        self._names: Set[str] = frozenset()
        """The names of the properties of the first record whose event is not complete."""
        self._waiting = self._unread = 0

    @property
    def is_cut(self) -> bool:
        """Whether an event is not complete yet."""
        return self._reads.is_cut

    @property
    def unread(self) -> int:
        """How many records looked like reads, and are none."""
        return self._unread + self._waiting

    def events(self, record: Node, name: str | None) -> list[Text] | None:
        """Return the data of the events that the string of a record completes, or ``None`` if it holds no read.

        ``name`` is the name of the strings, if a stream has begun. Before one has, a string with a whole stream is no
        read.
        """
        found = self.name if self.is_cut else name_of_read(record.value) or name
        text = record.get(found).text() if found and isinstance(record.value, dict) else None
        if text is None or (self._waiting and record.value.keys() != self._names):
            self._give_up()
            return None
        is_first = found != name
        if is_first and not self._waiting and _DONE in text.data:
            return None
        was_cut = self.is_cut
        events = self._reads.events(text)
        if events is None:
            self._give_up()
            return None
        if is_first and not events and (self._waiting or (not was_cut and _may_wait(record.value, found, text))):
            self.name, self._names = found, record.value.keys()
            self._waiting += 1
            return []
        if is_first and not any(kind_of_json(data_of(event).data) == "chunk" for event in events):
            if not was_cut or self._waiting:
                self._reads = Reads()
            self._give_up()
            return None
        self.name, self._waiting = found, 0
        return [data_of(event) for event in events]

    def take_rest(self) -> list[Text]:
        """Return the data of the event that no later read completes, if there is one."""
        return [data_of(event) for event in self._reads.take_rest()]

    def _give_up(self) -> None:
        """Forget the records that waited for an event, and count them."""
        if self._waiting:
            self._unread, self._waiting = self.unread, 0
            self._reads = Reads()


def _may_wait(record: dict[str, Any], name: str | None, read: Text) -> bool:
    """Return whether a record may hold a part of the first event: it begins with JSON, and nothing else in it has any.

    Anything else may be a record of an exchange.
    """
    others = (value for key, value in record.items() if key != name)
    return begins_with_json(read) and not any(
        isinstance(value, dict | list) or (isinstance(value, str) and "{" in value) for value in others
    )
