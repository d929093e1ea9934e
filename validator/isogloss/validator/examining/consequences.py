"""Leave out findings that follow from another finding, so that one cause gives one finding.

Each rule names the rules whose findings follow from its own (``replaces``), and how far that reaches (``reach``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeAlias

from isogloss.validator.examining.examined import RuleHit, without_events
from isogloss.validator.examining.schema_findings import is_rest
from isogloss.validator.pointer import Pointer
from isogloss.validator.rules import group_of, rule

__all__ = ["without_consequences", "without_included"]

_Location: TypeAlias = tuple[bool, int | None, Pointer]
"""Whether a finding is in the request, the number of its event, and its pointer."""


_BREAK = "connection-broken"


def without_consequences(found: list[RuleHit], *, is_left: bool) -> list[RuleHit]:
    """Return the findings without those that follow from another of them.

    If a finding follows from another one on some of its events only, keep it with its other events. ``is_left`` says
    that the client left before the answer ended. What follows from a connection that broke follows from that, too.
    """
    causes = [one for one in found if rule(one.rule).replaces and not is_rest(one.hit.message)]
    if not causes and not is_left:
        return found
    consequences = _Consequences(rule(_BREAK).replaces if is_left else ())
    for one in causes:
        consequences.add(one)
    remaining: list[RuleHit] = []
    for one in found:
        remaining += without_events([one], consequences.includes) if consequences.may_include(one) else [one]
    return remaining


def without_included(
    found: Sequence[RuleHit], explanations: Sequence[tuple[str, ...]]
) -> tuple[Sequence[RuleHit], Sequence[tuple[str, ...]]]:
    """Return findings and their explanations, without the findings that another one includes.

    A finding includes those of some rules at its other pointers: they say the same of another property there. Each of
    them is a fact of dialects by itself, so they are left out only when findings are reported, and only if the same
    dialects explain both.
    """
    included = {
        (name, one.hit.event, pointer, explained_by)
        for one, explained_by in zip(found, explanations, strict=True)
        for name in rule(one.rule).includes
        for pointer in one.hit.other_pointers
    }
    if not included:
        return found, explanations
    kept = [
        (one, explained_by)
        for one, explained_by in zip(found, explanations, strict=True)
        if (one.rule, one.hit.event, one.hit.pointer, explained_by) not in included
    ]
    return [one for one, _ in kept], [explained_by for _, explained_by in kept]


class _Consequences:
    """The rules and groups whose findings follow from causes: at a location, inside it, or anywhere in the answer."""

    def __init__(self, anywhere: Iterable[str]) -> None:
        self._at_location: dict[_Location, set[str]] = {}
        self._inside: dict[_Location, set[str]] = {}
        self._anywhere = set(anywhere)
        self._replaced = set(anywhere)
        self._events: set[int | None] = set()

    def add(self, cause: RuleHit) -> None:
        """Add a cause: the rules and groups that it replaces, and the locations where it replaces them."""
        cause_rule = rule(cause.rule)
        self._replaced.update(cause_rule.replaces)
        if cause_rule.reach == "answer":
            self._anywhere.update(cause_rule.replaces)
            return
        by_location = self._inside if cause_rule.reach == "inside" else self._at_location
        for event in cause.events or (cause.hit.event,):
            self._events.add(event)
            for pointer in (cause.hit.pointer, *cause.hit.other_pointers):
                by_location.setdefault(_location(cause, event, pointer), set()).update(cause_rule.replaces)

    def may_include(self, finding: RuleHit) -> bool:
        """Return whether a cause replaces the rule or the group of a finding, wherever the two are."""
        return not self._replaced.isdisjoint(_rule_and_group(finding.rule))

    def includes(self, finding: RuleHit, event: int | None) -> bool:
        """Return whether a finding follows from a cause on one of its events; ``None`` if it is on no event."""
        if (
            self._anywhere
            and finding.part != "request"
            and not self._anywhere.isdisjoint(_rule_and_group(finding.rule))
        ):
            return True
        if event not in self._events:
            return False
        names, pointer = _rule_and_group(finding.rule), finding.hit.pointer
        if not names.isdisjoint(self._at_location.get(_location(finding, event, pointer), ())):
            return True
        replaced_inside = (
            self._inside.get(_location(finding, event, pointer[:depth]), set()) for depth in range(len(pointer) + 1)
        )
        return bool(self._inside) and any(not names.isdisjoint(replaced) for replaced in replaced_inside)


@cache
def _rule_and_group(rule_name: str) -> frozenset[str]:
    return frozenset((rule_name, group_of(rule_name)))


def _location(finding: RuleHit, event: int | None, pointer: Pointer) -> _Location:
    return finding.part == "request", event, pointer
