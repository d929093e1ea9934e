"""Tell on which events of a stream a deviation is: what clients do may depend on it.

A client that joins fragments may take one in a wrong type if it is the only one, and many clients read some properties
of the first event alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from isogloss.validator.pointer import ABSENT, Pointer, generic, read

__all__ = ["Extents"]


class Extents:
    """Tells on which events of a stream deviations are. The events with a path are looked for only once.

    ``values`` are those of all events of the stream.
    """

    __slots__ = ("_events", "_values")

    def __init__(self, values: Sequence[object]) -> None:
        self._values = values
        self._events: dict[tuple[str, bool], Mapping[int, int]] = {}

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
            possible = self._events[path, is_absent] = Counter(_events_at(self._values, pointer, is_absent))
        first = next(iter(possible), None)
        if first is None or first not in events:
            return "on later events"
        if len(possible) == 1 and possible[first] == 1:
            return "on the only event"
        is_on_every = len(events) >= len(possible) and possible.keys() <= set(events)
        return "on every event" if is_on_every else "on the first event"


def _events_at(values: Sequence[object], pointer: Pointer, is_absent: bool) -> Iterator[int]:
    """Yield the number of the event of each place with the path of a pointer, in the order of the events."""
    parts: Iterator[tuple[int, object]] = enumerate(values)
    *steps, last = pointer
    for step in steps:
        parts = _parts_at(parts, step)
    if is_absent and isinstance(last, str):
        return (event for event, part in parts if isinstance(part, dict))
    return (event for event, _ in _parts_at(parts, last))


def _parts_at(parts: Iterable[tuple[int, object]], step: str | int) -> Iterator[tuple[int, object]]:
    """Yield what parts of events have at a step of a path: all items of an array, or the value of a property."""
    if isinstance(step, int):
        return ((event, item) for event, part in parts if isinstance(part, list) for item in part)
    return ((event, part[step]) for event, part in parts if isinstance(part, dict) and step in part)
