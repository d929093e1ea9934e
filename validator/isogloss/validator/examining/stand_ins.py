"""Find the unknown property that stands in the place of a missing one, so that the two are one finding.

It is a property of the same object whose name looks like the missing one, or the property itself in another object: in
the one around the object that misses it, or in one directly inside. If an object is missing, its own properties may
stand in the object around.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from operator import attrgetter

from msgspec.structs import replace

from isogloss.validator.examining.examined import UNKNOWN, RuleHit
from isogloss.validator.pointer import ABSENT, Pointer, generic
from isogloss.validator.quoting import quote_name
from isogloss.validator.rules import Hit, group_of, rule

__all__ = ["OF_MANY_OBJECTS", "StandIns", "stand_ins_of", "with_stand_ins"]

_other_pointers = attrgetter("other_pointers")
_ABOUT_ANSWERS = ("stream", "completion", "pair")
OF_MANY_OBJECTS = frozenset({"id", "index", "name", "type"})
"""Names that say something else of the object around."""


class StandIns:
    """The unknown properties of a payload, by where they could stand in the place of another one."""

    def __init__(self, unknown: Iterable[Hit]) -> None:
        self._meant: dict[Pointer, Pointer] = {}
        self._moved_in: dict[Pointer, Pointer] = {}
        self._moved_out: dict[Pointer, Pointer] = {}
        self._unknown: set[Pointer] = set()
        for hit in unknown:
            pointer = hit.pointer
            if not pointer:
                continue  # it says how many more there are
            self._unknown.add(pointer)
            for meant in hit.other_pointers:
                (self._meant if len(meant) == len(pointer) else self._moved_out).setdefault(meant, pointer)
            around = _around(pointer)
            if around is not None:
                self._moved_in.setdefault(around, pointer)

    def named(self, missing: Hit, inner: Iterable[str] = ()) -> Hit:
        """Return the hit about a missing property, with the one that stands in its place if there is one.

        If the missing property is an object, ``inner`` are the names of its properties.
        """
        for pointer in (missing.pointer, *missing.other_pointers):
            meant = self._meant.get(pointer)
            if meant is not None:
                return _with_stand_in(missing, f"{quote_name(str(meant[-1]))} stands in its place", meant)
            moved = self._moved(pointer)
            if moved is not None:
                return _with_stand_in(missing, f"it stands at `{generic(moved)}`", moved)
        around = [at for name in inner if (at := (*missing.pointer[:-1], name)) in self._unknown]
        if around:
            names = ", ".join(quote_name(str(at[-1])) for at in around)
            return _with_stand_in(missing, f"its properties stand in the object around: {names}", *around)
        return missing

    def _moved(self, pointer: Pointer) -> Pointer | None:
        """Return where a missing property stands in an object inside its own, or in the one around it, if it does."""
        moved = self._moved_in.get(pointer) or self._moved_out.get(pointer)
        if moved is not None or not pointer or pointer[-1] in OF_MANY_OBJECTS:
            return moved
        around = _around(pointer)
        return around if around in self._unknown else None


def stand_ins_of(missing: Iterable[Hit], unknown: Collection[Hit], inner: Iterable[str]) -> StandIns | None:
    """Return what may stand in the place of missing properties, or ``None`` if nothing has a name for that.

    ``inner`` are the names of the properties of missing objects.
    """
    is_inner = not {hit.pointer[-1] for hit in unknown if hit.pointer}.isdisjoint(inner)
    return StandIns(unknown) if is_inner or _may_stand_in(missing, unknown) else None


def _may_stand_in(missing: Iterable[Hit], unknown: Iterable[Hit]) -> bool:
    """Return whether an unknown property has the name of a missing one, or one that looks like a known name."""
    if any(map(_other_pointers, unknown)):
        return True
    names = {hit.pointer[-1] for hit in unknown if hit.pointer}
    pointers = (pointer for hit in missing for pointer in (hit.pointer, *hit.other_pointers))
    return any(pointer and pointer[-1] in names for pointer in pointers)


def with_stand_ins(hits: list[RuleHit], broken: frozenset[str]) -> list[RuleHit]:
    """Return hits, with the unknown properties that stand in the place of missing ones named in the hits of rules.

    ``broken`` holds the names of their rules. Those that the schema misses are named already.
    """
    names = _may_lack_property(broken)
    missing = (
        [one for one in hits if one.rule in names and one.hit.value is ABSENT and one.hit.pointer] if names else ()
    )
    if not missing:
        return hits
    unknown = [one for one in hits if one.rule == UNKNOWN]
    if not _may_stand_in([one.hit for one in missing], [one.hit for one in unknown]):
        return hits
    beside: dict[int | None, list[Hit]] = {one.hit.event: [] for one in missing}
    for one in unknown:
        for event in one.events or (one.hit.event,):
            if event in beside:
                beside[event].append(one.hit)
    stand_ins = {event: StandIns(found) for event, found in beside.items()}
    named = {id(one): replace(one, hit=stand_ins[one.hit.event].named(one.hit)) for one in missing}
    return [named.get(id(one), one) for one in hits]


@lru_cache(4096)
def _may_lack_property(broken: frozenset[str]) -> frozenset[str]:
    """Return those of some rules that may be about a missing property, if there are unknown ones, too.

    A rule that includes its own hits points from one to the others, and not to what is missing.
    """
    if UNKNOWN not in broken:
        return frozenset()
    about_answers = (name for name in broken if group_of(name) in _ABOUT_ANSWERS)
    return frozenset(name for name in about_answers if name not in rule(name).includes)


def _around(pointer: Pointer) -> Pointer | None:
    """Return where a property would be in the object around its own, or ``None`` if there is none."""
    end = len(pointer) - 1
    while end and type(pointer[end - 1]) is int:
        end -= 1
    return (*pointer[: end - 1], pointer[-1]) if end else None


def _with_stand_in(missing: Hit, remark: str, *stand_ins: Pointer) -> Hit:
    return replace(missing, message=f"{missing.message}; {remark}", other_pointers=missing.other_pointers + stand_ins)
