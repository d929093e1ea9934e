"""By which facts dialects explain a finding, asked once of all findings in which the same decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from isogloss.validator.dialects.model import Deviation, Dialect, Fact, explaining
from isogloss.validator.examining.found import Examined, Found
from isogloss.validator.examining.placing import subject, subject_of_event, value_at
from isogloss.validator.exchange import Stream
from isogloss.validator.pointer import generic
from isogloss.validator.rules import GROUPS, group_of, rule

__all__ = ["Explanations", "Facts", "Observed", "about_schema", "explanation", "observe"]

_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 100

Facts: TypeAlias = tuple[tuple[Dialect, Fact], ...]
"""Dialects with the fact by which each of them explains a finding."""
Around: TypeAlias = tuple[tuple[int, list[Deviation]], ...]
"""A dialect's deviations at a place, and then those around it, each with the number of steps to where they are."""


class Observed(NamedTuple):
    """A finding as dialects know it."""

    rule: str
    kind: str
    path: str
    found: Found
    payload: object
    value: object


def observe(examined: Examined, found: Found) -> Observed:
    """What dialects have to know of a finding."""
    kind, payload = subject(examined.exchange, found.part, found.hit, examined.folded)
    return Observed(found.rule, kind, generic(found.hit.pointer), found, payload, value_at(payload, found.hit))


@cache
def about_schema(name: str) -> bool:
    """Whether findings of a rule are what deviations are about: the schema's own, and those told in their place."""
    return any(
        one == "schema" or (one not in GROUPS and group_of(one) == "schema") for one in (name, *rule(name).replaces)
    )


def explanation(dialect: Dialect, examined: Examined, found: Found) -> Fact | None:
    """The fact by which a dialect explains a finding, if one does."""
    observed = observe(examined, found)
    return _fact(dialect, tuple(dialect.around(observed.kind, found.hit.pointer)), observed)


def _fact(dialect: Dialect, around: Around, observed: Observed) -> Fact | None:
    """The fact by which a dialect with these deviations around the place explains a finding."""
    if around and about_schema(observed.rule):
        deviation = explaining(around, observed.found.hit.pointer, observed.payload, observed.value)
        if deviation is not None:
            return deviation
    return dialect.behaviour(observed.rule, observed.path)


class Explanations:
    """The facts of some dialects, of which only those are asked who have any about a finding's rule and place."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        self._dialects = tuple(dialects)
        self._at: dict[tuple[str, str], dict[Dialect, list[Deviation]]] = {}
        self._of: dict[str, set[Dialect]] = {}
        for dialect in self._dialects:
            for deviation in dialect.deviations:
                for kind in deviation.kinds:
                    self._at.setdefault((kind, deviation.at), {}).setdefault(dialect, []).append(deviation)
            for behaviour in dialect.behaviours:
                self._of.setdefault(behaviour.rule, set()).add(dialect)
        self._concerned: dict[tuple[str, str, str], _Concerned] = {}
        self._same: dict[Facts, Facts] = {}

    def observe(self, examined: Examined) -> list[tuple[Observed, Facts]]:
        """What dialects have to know of each finding, and the facts by which they explain it.

        The events of a finding that facts explain differently, as their values differ, become findings of their own.
        """
        known = []
        for found in examined.found:
            observed = observe(examined, found)
            facts = self.facts(observed)
            stream = examined.exchange.response and examined.exchange.response.body
            if len(found.events) < 2 or not isinstance(stream, Stream) or self._concerned_by(observed).by_type:
                known.append((observed, facts))
                continue
            events: dict[int, tuple[Facts, list[int]]] = {}
            for event in found.events:
                kind, payload = subject_of_event(stream, event)
                value = value_at(payload, found.hit)
                facts = self.facts(Observed(found.rule, kind, observed.path, found, payload, value))
                events.setdefault(id(facts), (facts, []))[1].append(event)
            for facts, numbers in events.values():
                part = found._replace(hit=found.hit._replace(event=numbers[0]), events=numbers)
                known.append((observe(examined, part), facts))
        return known

    def facts(self, observed: Observed) -> Facts:
        """The facts by which dialects explain a finding, the dialects in their order.

        Equal facts are one and the same value for as long as this lives.
        """
        return self._concerned_by(observed).facts(observed)

    def _concerned_by(self, observed: Observed) -> _Concerned:
        at = (observed.rule, observed.kind, observed.path)
        concerned = self._concerned.get(at)
        if concerned is None:
            if len(self._concerned) > _MOST_REMEMBERED:
                self._concerned.clear()
            concerned = self._concerned[at] = _Concerned(
                self._with_facts(observed), len(observed.found.hit.pointer), self._same
            )
        return concerned

    def _with_facts(self, observed: Observed) -> list[tuple[Dialect, Around]]:
        """The dialects with facts about a rule or at or around a place, each with its deviations there."""
        pointer = observed.found.hit.pointer
        around: dict[Dialect, list[tuple[int, list[Deviation]]]] = {one: [] for one in self._of.get(observed.rule, ())}
        for depth in range(len(pointer), 0, -1):
            for dialect, known in self._at.get((observed.kind, generic(pointer[:depth])), {}).items():
                around.setdefault(dialect, []).append((depth, known))
        return [(one, tuple(around[one])) for one in self._dialects if one in around]


class _Concerned:
    """The dialects with facts about the findings of a rule at a place.

    What they answered is remembered by the type of the value there, and where its type alone does not decide, by the
    value itself. It is not where a fact about what is around the place looks at more than types, which are the same
    for every payload with such a place.
    """

    def __init__(self, dialects: Sequence[tuple[Dialect, Around]], steps: int, same: dict[Facts, Facts]) -> None:
        self._same = same
        self._dialects = dialects
        facts = [(depth, one) for _, around in dialects for depth, there in around for one in there]
        self.by_type = all(one.by_type for _, one in facts)
        self._by_value = all(one.by_type or depth == steps for depth, one in facts)
        self._by: dict[object, Facts] = {}

    def facts(self, observed: Observed) -> Facts:
        """The facts by which each of them explains a finding."""
        if not self._dialects:
            return ()
        value = observed.value
        key: object = (type(value), isinstance(value, float) and value.is_integer())
        if not self.by_type:
            if not self._by_value or isinstance(value, dict | list) or len(str(value)) > _LONGEST_REMEMBERED:
                return self._ask(observed)
            key = type(value), value
        facts = self._by.get(key)
        if facts is None:
            if len(self._by) > _MOST_REMEMBERED:
                self._by.clear()
            facts = self._by[key] = self._ask(observed)
        return facts

    def _ask(self, observed: Observed) -> Facts:
        facts = tuple(
            (one, found) for one, around in self._dialects if (found := _fact(one, around, observed)) is not None
        )
        return self._same.setdefault(facts, facts)
