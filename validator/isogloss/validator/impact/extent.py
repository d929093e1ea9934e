"""Tell on which events of a stream a deviation is: what clients do may depend on it.

A client that joins fragments may take one in a wrong type if it is the only one, and many clients read some properties
of the first event alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from isogloss.validator.pointer import ABSENT, Pointer, read

__all__ = ["extent_of"]


def extent_of(values: Sequence[object], pointer: Pointer, events: Collection[int]) -> str:
    """Return on which of the events with its place a deviation is, e.g. ``on the first event``.

    ``values`` are those of all events of the stream, and ``events`` the numbers of those with the deviation, which is
    at ``pointer`` or at pointers with the same path. If a property is missing, all events with the object that lacks it
    count. An event with several such places, such as fragments of several calls, counts several times.
    """
    is_absent = read(values[min(events)], pointer) is ABSENT
    is_on_first, is_on_others, places = False, True, 0
    for number, value in enumerate(values):
        count = _count_places(value, pointer, is_absent)
        if not count:
            continue
        if not places:
            is_on_first = number in events
        elif number not in events:
            is_on_others = False
        places += count
        if places > 1 and not (is_on_first and is_on_others):
            break
    if places == 1 and is_on_first:
        return "on the only event"
    if is_on_first:
        return "on every event" if is_on_others else "on the first event"
    return "on later events"


def _count_places(value: object, pointer: Pointer, is_absent: bool) -> int:
    """Return how many places a value has with the path of a pointer."""
    step, rest = pointer[0], pointer[1:]
    if isinstance(step, int):
        parts = value if isinstance(value, list) else []
    elif isinstance(value, dict) and (step in value or (is_absent and not rest)):
        parts = [value.get(step)]
    else:
        parts = []
    return sum(_count_places(part, rest, is_absent) for part in parts) if rest else len(parts)
