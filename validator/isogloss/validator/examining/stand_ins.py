"""Find the unknown property that stands in the place of a missing one, so that the two are one finding.

It is a property of the same object whose name looks like the missing one, or the property itself in another object: in
the one around the object that misses it, or in one directly inside.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.pointer import ABSENT, Pointer, generic
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Hit, group_of

__all__ = ["UNKNOWN", "StandIns", "with_stand_ins"]

UNKNOWN = "unknown-property"
"""The rule about the properties that may stand in the place of others. Its hits point at these, if they name them."""
_ABOUT_ANSWERS = ("stream", "completion", "pair")
_OF_MANY_OBJECTS = frozenset({"id", "index", "name", "type"})
"""Names that say something else of the object around."""


class StandIns:
    """The unknown properties of a payload, by where they could stand in the place of another one."""

    def __init__(self, unknown: Iterable[Hit]) -> None:
        self._meant: dict[Pointer, Pointer] = {}
        self._moved_in: dict[Pointer, Pointer] = {}
        self._unknown: set[Pointer] = set()
        for hit in unknown:
            pointer = hit.pointer
            self._unknown.add(pointer)
            for meant in hit.other_pointers:
                self._meant.setdefault(meant, pointer)
            around = _around(pointer)
            if around is not None:
                self._moved_in.setdefault(around, pointer)

    def named(self, missing: Hit) -> Hit:
        """Return the hit about a missing property, with the one that stands in its place if there is one."""
        for pointer in (missing.pointer, *missing.other_pointers):
            meant = self._meant.get(pointer)
            if meant is not None:
                return _with_stand_in(missing, f"{quote_name(str(meant[-1]))} stands in its place", meant)
            moved = self._moved(pointer)
            if moved is not None:
                return _with_stand_in(missing, f"it stands at `{generic(moved)}`", moved)
        return missing

    def _moved(self, pointer: Pointer) -> Pointer | None:
        """Return where a missing property stands in an object inside its own, or in the one around it, if it does."""
        inside = self._moved_in.get(pointer)
        if inside is not None or not pointer or pointer[-1] in _OF_MANY_OBJECTS:
            return inside
        around = _around(pointer)
        return around if around in self._unknown else None


def with_stand_ins(hits: list[RuleHit], broken: frozenset[str]) -> list[RuleHit]:
    """Return hits, with the unknown properties that stand in the place of missing ones named in the hits of rules.

    ``broken`` holds the names of their rules. Those that the schema misses are named already.
    """
    if not _may_stand_in(broken):
        return hits
    by_event = {one.hit.event: StandIns(()) for one in hits if _is_about_missing(one)}
    if not by_event:
        return hits
    unknown = [one for one in hits if one.rule == UNKNOWN and one.hit.pointer]
    by_event = {
        event: StandIns([one.hit for one in unknown if event in (one.events or (one.hit.event,))]) for event in by_event
    }
    return [replace(one, hit=by_event[one.hit.event].named(one.hit)) if _is_about_missing(one) else one for one in hits]


def _is_about_missing(one: RuleHit) -> bool:
    """Return whether a hit of a rule is about a missing property."""
    return one.hit.value is ABSENT and bool(one.hit.pointer) and group_of(one.rule) in _ABOUT_ANSWERS


@lru_cache(4096)
def _may_stand_in(broken: frozenset[str]) -> bool:
    """Return whether one of these rules is about unknown properties, and another may be about a missing one."""
    return UNKNOWN in broken and any(group_of(name) in _ABOUT_ANSWERS for name in broken)


def _around(pointer: Pointer) -> Pointer | None:
    """Return where a property would be in the object around its own, or ``None`` if there is none."""
    end = len(pointer) - 1
    while end and type(pointer[end - 1]) is int:
        end -= 1
    return (*pointer[: end - 1], pointer[-1]) if end else None


def _with_stand_in(missing: Hit, remark: str, stand_in: Pointer) -> Hit:
    return replace(missing, message=f"{missing.message}; {remark}", other_pointers=(*missing.other_pointers, stand_in))
