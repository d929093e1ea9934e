"""One cause, one finding: what follows from what another rule has found is left out.

Which rules' findings follow from its own, and how far that reaches, each rule says itself (``replaces``, ``reach``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from isogloss.validator.examining.placing import Part
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import group_of, rule

if TYPE_CHECKING:
    from isogloss.validator.examining.examiner import Found

__all__ = ["without_consequences"]

_Place: TypeAlias = tuple[bool, int | None, Pointer]
"""Whether it is in the request, the number of the event, and the pointer."""


def without_consequences(found: list[Found]) -> list[Found]:
    """The findings without those that follow from another of them."""
    causes = [one for one in found if rule(one.rule).replaces]
    if not causes:
        return found
    at_place: dict[_Place, set[str]] = {}
    inside: dict[_Place, set[str]] = {}
    anywhere: set[str] = set()
    for one in causes:
        its = rule(one.rule)
        if its.reach == "answer":
            anywhere.update(its.replaces)
            continue
        reached = inside if its.reach == "inside" else at_place
        for pointer in (one.hit.pointer, *one.hit.places):
            reached.setdefault(_place(one, pointer), set()).update(its.replaces)
    return [one for one in found if not _follows(one, at_place, inside, anywhere)]


def _place(one: Found, pointer: Pointer) -> _Place:
    return one.part is Part.REQUEST, one.hit.event, pointer


def _follows(one: Found, at_place: dict[_Place, set[str]], inside: dict[_Place, set[str]], anywhere: set[str]) -> bool:
    names = {one.rule, group_of(one.rule)}
    pointer = one.hit.pointer
    if not names.isdisjoint(at_place.get(_place(one, pointer), ())):
        return True
    if inside and _any(names, (inside.get(_place(one, pointer[:depth])) for depth in range(len(pointer) + 1))):
        return True
    return one.part is not Part.REQUEST and not names.isdisjoint(anywhere)


def _any(names: set[str], replaced: Iterable[set[str] | None]) -> bool:
    return any(known is not None and not names.isdisjoint(known) for known in replaced)
