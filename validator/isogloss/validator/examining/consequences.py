"""Leave out hits that follow from another hit, so that one cause gives one finding.

Each rule names the rules whose hits follow from its own (``replaces``), and how far that reaches (``reach``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import TypeAlias

from isogloss.validator.examining.examined import UNKNOWN, RuleHit, is_rest, without_events
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import group_of, rule

__all__ = ["without_consequences", "without_included"]

_Location: TypeAlias = tuple[bool, Pointer]
"""Whether a hit is in the request, and its pointer."""

_EventsByReplaced: TypeAlias = dict[tuple[str, ...], set[int | None]]
"""The numbers of events, by what is replaced there. The number is ``None`` for a hit that is on no event."""

_Included: TypeAlias = tuple[str, _Location, int | None, tuple[str, ...]]
"""The rule, the location and the event of a hit that another one includes, and the dialects that explain both."""

_EVERY = -1
"""Stands in place of the number of an event for a cause that is on none: in the completion that a stream folds into, or
something that the whole answer lacks."""
_BREAK = "connection-broken"


def without_consequences(hits: list[RuleHit], broken: frozenset[str], *, is_left: bool) -> list[RuleHit]:
    """Return the hits without those that follow from another of them.

    If a hit follows from another one on some of its events only, keep it with its other events. ``broken`` holds the
    names of their rules. ``is_left`` says that the client left before the answer ended. What follows from a connection
    that broke follows from that, too.
    """
    replacing = _replacing(broken)
    if not replacing and not is_left:
        return hits
    consequences = _Consequences(rule(_BREAK).replaces if is_left else ())
    for rule_hit in hits:
        if rule_hit.rule in replacing and not is_rest(rule_hit.hit.message):
            consequences.add(rule_hit)
    remaining: list[RuleHit] = []
    for rule_hit in hits:
        remaining += consequences.without(rule_hit)
    return remaining


def without_included(
    hits: Sequence[RuleHit], explanations: Sequence[tuple[str, ...]]
) -> tuple[Sequence[RuleHit], Sequence[tuple[str, ...]]]:
    """Return hits and their explanations, without the hits that another one includes.

    A hit includes those of some rules at its other pointers: they have the same cause, or say the same of another
    property there. If it is about something that the answer lacks, it includes them on all events, otherwise on its
    own. What stands in the place of something missing is included, too.

    A hit that is on other events, too, has another cause there, and counts all its events: the only chunk with another
    id includes the form of that id, but not a form that the ids of all chunks have. Each hit is a fact of dialects by
    itself, so hits are left out only when findings are reported, and only if the same dialects explain both.
    """
    unknown = {rule_hit.hit.pointer for rule_hit in hits if rule_hit.rule == UNKNOWN}
    included = {
        (name, _location(one, pointer), event, explained_by)
        for one, explained_by in zip(hits, explanations, strict=True)
        for pointer in one.hit.other_pointers
        for name in ((UNKNOWN,) if pointer in unknown else rule(one.rule).includes)
        for event in ((_EVERY,) if rule(one.rule).lacks else one.events or (one.hit.event,))
    }
    if not included:
        return hits, explanations
    rules_included = {name for name, *_ in included}
    kept: list[tuple[RuleHit, tuple[str, ...]]] = []
    for one, explained_by in zip(hits, explanations, strict=True):
        is_included = partial(_is_included, included, explained_by)
        if one.rule not in rules_included or any(without_events([one], is_included)):
            kept.append((one, explained_by))
    return [one for one, _ in kept], [explained_by for _, explained_by in kept]


def _is_included(
    included: Collection[_Included], explained_by: tuple[str, ...], rule_hit: RuleHit, event: int | None
) -> bool:
    location = _location(rule_hit, rule_hit.hit.pointer)
    return any((rule_hit.rule, location, one, explained_by) in included for one in (event, _EVERY))


class _Consequences:
    """The rules and groups whose hits follow from causes: at a location, inside it, or anywhere in the answer."""

    def __init__(self, anywhere: Iterable[str]) -> None:
        self._at_location: dict[_Location, _EventsByReplaced] = {}
        self._inside: dict[_Location, _EventsByReplaced] = {}
        self._anywhere = set(anywhere)
        self._replaced = set(anywhere)

    def add(self, rule_hit: RuleHit) -> None:
        """Add a cause: the rules and groups that it replaces, and the locations and events where it replaces them."""
        cause_rule = rule(rule_hit.rule)
        self._replaced.update(cause_rule.replaces)
        if cause_rule.reach == "answer":
            self._anywhere.update(cause_rule.replaces)
            return
        by_location = self._inside if cause_rule.reach == "inside" else self._at_location
        for pointer in (rule_hit.hit.pointer, *rule_hit.hit.other_pointers):
            replaced = by_location.setdefault(_location(rule_hit, pointer), {})
            events = {_EVERY} if rule_hit.part == "folded" else rule_hit.events or (rule_hit.hit.event,)
            replaced.setdefault(cause_rule.replaces, set()).update(events)

    def without(self, rule_hit: RuleHit) -> Iterable[RuleHit]:
        """Return a hit without the events on which it follows from a cause, or nothing if no event is left."""
        names = _rule_and_group(rule_hit.rule)
        if self._replaced.isdisjoint(names):
            return (rule_hit,)
        if rule_hit.part != "request" and not self._anywhere.isdisjoint(names):
            return ()
        causing = [events for replaced, events in self._around(rule_hit) if not names.isdisjoint(replaced)]
        if not causing:
            return (rule_hit,)
        if any(_EVERY in events for events in causing):
            return ()
        return without_events([rule_hit], lambda _, event: any(event in events for events in causing))

    def _around(self, rule_hit: RuleHit) -> Iterator[tuple[tuple[str, ...], set[int | None]]]:
        """Yield what is replaced, and on which events, at the location of a hit and around it."""
        pointer = rule_hit.hit.pointer
        yield from self._at_location.get(_location(rule_hit, pointer), {}).items()
        if self._inside:
            for depth in range(len(pointer) + 1):
                yield from self._inside.get(_location(rule_hit, pointer[:depth]), {}).items()


@lru_cache(4096)
def _replacing(broken: frozenset[str]) -> frozenset[str]:
    """Return those of some rules whose hits replace hits of one of them."""
    replaceable = frozenset().union(*map(_rule_and_group, broken))
    return frozenset(name for name in broken if not replaceable.isdisjoint(rule(name).replaces))


@cache
def _rule_and_group(rule_name: str) -> frozenset[str]:
    return frozenset((rule_name, group_of(rule_name)))


def _location(rule_hit: RuleHit, pointer: Pointer) -> _Location:
    return rule_hit.part == "request", pointer
