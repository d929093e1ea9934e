"""One cause, one finding: what follows from what another rule has found is left out.

Which rules' findings follow from its own, and how far that reaches, each rule says itself (``replaces``, ``reach``).
"""

from __future__ import annotations

from typing import TypeAlias

from isogloss.validator.examining.found import Found
from isogloss.validator.examining.placing import Part
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import group_of, rule

__all__ = ["without_consequences"]

_Place: TypeAlias = tuple[bool, int | None, Pointer]
"""Whether it is in the request, the number of the event, and the pointer."""


def without_consequences(found: list[Found]) -> list[Found]:
    """Return the findings without those that follow from another of them.

    If a finding follows from another one on some of its events only, keep it with its other events.
    """
    causes = [one for one in found if rule(one.rule).replaces]
    if not causes:
        return found
    reached = _Reached()
    for one in causes:
        reached.add(one)
    left = []
    for one in found:
        if len(one.events) < 2:
            if not reached.includes(one, one.hit.event):
                left.append(one)
            continue
        events = [event for event in one.events if not reached.includes(one, event)]
        if len(events) == len(one.events):
            left.append(one)
        elif events:
            left.append(one._replace(hit=one.hit._replace(event=events[0]), events=events))
    return left


class _Reached:
    """What follows from causes: the rules and groups at a place, inside a place, or anywhere in the answer."""

    def __init__(self) -> None:
        self._at_place: dict[_Place, set[str]] = {}
        self._inside: dict[_Place, set[str]] = {}
        self._anywhere: set[str] = set()
        self._events: set[int | None] = set()

    def add(self, cause: Found) -> None:
        """Add a cause: the rules and groups that it replaces, and the places where it replaces them."""
        its = rule(cause.rule)
        if its.reach == "answer":
            self._anywhere.update(its.replaces)
            return
        places = self._inside if its.reach == "inside" else self._at_place
        for event in cause.events or (cause.hit.event,):
            self._events.add(event)
            for pointer in (cause.hit.pointer, *cause.hit.places):
                places.setdefault(_place(cause, event, pointer), set()).update(its.replaces)

    def includes(self, one: Found, event: int | None) -> bool:
        """Return whether a finding follows from a cause on one of its events; ``None`` if it is on no event."""
        if self._anywhere and one.part is not Part.REQUEST and not self._anywhere.isdisjoint(_names(one.rule)):
            return True
        if event not in self._events:
            return False
        names, pointer = _names(one.rule), one.hit.pointer
        if not names.isdisjoint(self._at_place.get(_place(one, event, pointer), ())):
            return True
        around = (self._inside.get(_place(one, event, pointer[:depth]), set()) for depth in range(len(pointer) + 1))
        return bool(self._inside) and any(not names.isdisjoint(known) for known in around)


def _names(name: str) -> set[str]:
    return {name, group_of(name)}


def _place(one: Found, event: int | None, pointer: Pointer) -> _Place:
    return one.part is Part.REQUEST, event, pointer
