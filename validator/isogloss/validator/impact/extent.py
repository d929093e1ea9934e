"""Tell on which events of a stream a deviation is: what clients do may depend on it.

A client that joins fragments may take one in a wrong type if it is the only one, and many clients read some properties
of the first event alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from isogloss.validator.pointer import ABSENT, Pointer, generic, read

__all__ = ["Extents"]


class Extents:
    """Tells on which events of a stream deviations are. The events with a path are looked for only once.

    ``values`` are those of all events of the stream.
    """

    __slots__ = ("_events", "_values")

    def __init__(self, values: Sequence[object]) -> None:
        self._values = values
        self._events: dict[tuple[str, bool], Sequence[int]] = {}

    def of(self, pointer: Pointer, events: Collection[int]) -> str:
        """Return on which of the events with its place a deviation is, e.g. ``on the first event``.

        ``events`` holds the numbers of the events with the deviation, which is at ``pointer`` or at pointers with the
        same path. If a property is missing, all events with the object that lacks it count. An event with several such
        places, such as fragments of several calls, counts as several events.
        """
        is_absent = read(self._values[min(events)], pointer) is ABSENT
        path = generic(pointer)
        possible = self._events.get((path, is_absent))
        if possible is None:
            possible = self._events[path, is_absent] = [*_events_with_places(self._values, pointer, is_absent)]
        if not possible or possible[0] not in events:
            return "on later events"
        if len(possible) == 1:
            return "on the only event"
        is_on_every = 2 * len(events) >= len(possible) and set(events).issuperset(possible)
        return "on every event" if is_on_every else "on the first event"


def _events_with_places(values: Sequence[object], pointer: Pointer, is_absent: bool) -> Iterator[int]:
    """Yield the numbers of the events that have places with the path of a pointer, twice if an event has several."""
    for number, value in enumerate(values):
        for _ in islice(_places(value, pointer, is_absent), 2):
            yield number


def _places(value: object, pointer: Pointer, is_absent: bool) -> Iterator[object]:
    """Yield what a value has at the places with the path of a pointer."""
    step, rest = pointer[0], pointer[1:]
    if isinstance(step, int):
        parts = value if isinstance(value, list) else []
    elif isinstance(value, dict) and (step in value or (is_absent and not rest)):
        parts = [value.get(step)]
    else:
        parts = []
    for part in parts:
        if rest:
            yield from _places(part, rest, is_absent)
        else:
            yield part
