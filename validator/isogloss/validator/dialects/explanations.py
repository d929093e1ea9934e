"""By which facts dialects explain a finding.

Many dialects have the same schema at a place: each schema is asked once, and what it answers is what all of them say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import orjson

from isogloss.validator.dialects.model import Deviation, Dialect, Fact, explaining
from isogloss.validator.examining.found import Examined, Found
from isogloss.validator.examining.placing import subject, subject_of_event, value_at
from isogloss.validator.exchange import Stream
from isogloss.validator.pointer import ABSENT, Pointer, generic, read
from isogloss.validator.rules import GROUPS, group_of, rule

__all__ = ["Explanations", "Facts", "Observed", "about_schema", "explanation", "observe"]

_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 100
_NAMES: dict[type, frozenset[str]] = {
    str: frozenset({"string"}), bool: frozenset({"boolean"}), int: frozenset({"integer", "number"}),
    float: frozenset({"integer", "number"}), dict: frozenset({"object"}), list: frozenset({"array"}),
    type(None): frozenset({"null"}),
}  # fmt: skip
"""The types that JSON Schema knows values by."""
_TYPES = frozenset[str]().union(*_NAMES.values())

Facts: TypeAlias = tuple[tuple[Dialect, Fact], ...]
"""Dialects with the fact by which each of them explains a finding."""
Around: TypeAlias = tuple[tuple[int, list[Deviation]], ...]
"""A dialect's deviations at a place, and then those around it, each with the number of steps to where they are."""


class _Once(tuple[tuple[Dialect, Fact], ...]):
    """Facts that are compared and hashed by identity: equal ones are the same object."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Observed(NamedTuple):
    """A finding as dialects know it."""

    rule: str
    kind: str
    path: str
    found: Found
    payload: object
    value: object


def observe(examined: Examined, found: Found) -> Observed:
    """Return what dialects have to know about a finding."""
    kind, payload = subject(examined.exchange, found.part, found.hit, examined.folded)
    return Observed(found.rule, kind, generic(found.hit.pointer), found, payload, value_at(payload, found.hit))


@cache
def about_schema(name: str) -> bool:
    """Return whether deviations may explain the findings of a rule.

    They may for the rules of the schema, and for a rule that replaces one of them.
    """
    return any(
        one == "schema" or (one not in GROUPS and group_of(one) == "schema") for one in (name, *rule(name).replaces)
    )


def explanation(dialect: Dialect, examined: Examined, found: Found) -> Fact | None:
    """Return the fact by which a dialect explains a finding, or ``None`` if none does."""
    observed = observe(examined, found)
    if about_schema(observed.rule):
        pointer = found.hit.pointer
        deviation = explaining(dialect.around(observed.kind, pointer), pointer, observed.payload, observed.value)
        if deviation is not None:
            return deviation
    return dialect.behaviour(observed.rule, observed.path)


class Explanations:
    """The facts of some dialects. For a finding, only the dialects with facts about its rule or path are looked at."""

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
        """Return what dialects have to know about each finding, and the facts by which they explain it.

        The values in the events of a finding may differ, so that different facts explain them. Then the finding is
        split: each part has the events that the same facts explain.
        """
        known = []
        body = examined.exchange.response and examined.exchange.response.body
        for found in examined.found:
            observed = observe(examined, found)
            concerned = self._concerned_by(observed.rule, observed.kind, observed.path, found.hit.pointer)
            if len(found.events) < 2 or not isinstance(body, Stream) or concerned.by_type(observed.value):
                known.append((observed, concerned.facts(found.hit.pointer, observed.payload, observed.value)))
                continue
            events: dict[int, tuple[Facts, list[int]]] = {}
            for event in found.events:
                kind, payload = subject_of_event(body, event)
                if kind != observed.kind:
                    concerned = self._concerned_by(observed.rule, kind, observed.path, found.hit.pointer)
                facts = concerned.facts(found.hit.pointer, payload, value_at(payload, found.hit))
                events.setdefault(id(facts), (facts, []))[1].append(event)
            for facts, numbers in events.values():
                part = found._replace(hit=found.hit._replace(event=numbers[0]), events=numbers)
                known.append((observe(examined, part), facts))
        return known

    def facts(self, observed: Observed) -> Facts:
        """Return the facts by which dialects explain a finding, in the order of the dialects.

        Equal facts are one and the same object for as long as this object lives.
        """
        pointer = observed.found.hit.pointer
        concerned = self._concerned_by(observed.rule, observed.kind, observed.path, pointer)
        return concerned.facts(pointer, observed.payload, observed.value)

    def _concerned_by(self, rule: str, kind: str, path: str, pointer: Pointer) -> _Concerned:
        at = (rule, kind, path)
        concerned = self._concerned.get(at)
        if concerned is None:
            if len(self._concerned) > _MOST_REMEMBERED:
                self._concerned.clear()
            concerned = self._concerned[at] = _Concerned(
                [(one, around, one.behaviour(rule, path)) for one, around in self._around(rule, kind, pointer)],
                len(pointer),
                self._same,
            )
        return concerned

    def _around(self, rule: str, kind: str, pointer: Pointer) -> list[tuple[Dialect, Around]]:
        """Return the dialects with facts about a rule, or at or around a pointer, each with its deviations there."""
        around: dict[Dialect, list[tuple[int, list[Deviation]]]] = {one: [] for one in self._of.get(rule, ())}
        for depth in range(len(pointer), 0, -1) if about_schema(rule) else ():
            for dialect, known in self._at.get((kind, generic(pointer[:depth])), {}).items():
                around.setdefault(dialect, []).append((depth, known))
        return [(one, tuple(around[one])) for one in self._dialects if one in around]


class _Question(NamedTuple):
    """The question whether a deviation accepts the value at the first ``depth`` steps of a pointer."""

    depth: int
    fact: Deviation

    @property
    def types(self) -> frozenset[str]:
        """The types of values that its schema may accept: those that it names, or all types if it names none.

        Without a schema, there are none.
        """
        named = self.fact.schema.get("type", _TYPES) if self.fact.schema is not None else ()
        return frozenset([named] if isinstance(named, str) else named)


class _Concerned:
    """The dialects with facts about the findings of a rule at a path.

    Whether a fact explains a finding depends on whether its schema accepts the value at the path, or the value around
    it. If only types decide, the type of the value at the path is enough: the types around it are always the same.
    """

    def __init__(
        self, dialects: Sequence[tuple[Dialect, Around, Fact | None]], steps: int, same: dict[Facts, Facts]
    ) -> None:
        self._steps = steps
        self._same = same
        self._questions: list[_Question] = []
        self._dialects: list[tuple[Dialect, list[tuple[int, Fact]], Fact | None]] = []
        self._by: dict[object, Facts] = {}
        self._open: dict[type, list[_Question]] = {}
        numbers: dict[tuple[int, bool, bytes], int] = {}
        for dialect, around, behaviour in dialects:
            deviations: list[tuple[int, Fact]] = []
            for depth, there in around:
                for one in there:
                    if one.decides:
                        key = (depth, one.absent, orjson.dumps(one.schema, option=orjson.OPT_SORT_KEYS))
                        number = numbers.setdefault(key, len(numbers))
                        if number == len(self._questions):
                            self._questions.append(_Question(depth, one))
                        deviations.append((number, one))
            self._dialects.append((dialect, deviations, behaviour))
        self._all_here = all(one.depth == steps for one in self._questions)

    def by_type(self, value: object) -> bool:
        """Return whether the type of a value at the path is enough to decide which facts explain a finding."""
        return not self._asked(type(value))

    def _asked(self, of: type) -> list[_Question]:
        """Return the questions that the type of a value at the path does not answer."""
        asked = self._open.get(of)
        if asked is None:
            names = _NAMES.get(of, frozenset())
            asked = self._open[of] = [
                one
                for one in self._questions
                if not (one.fact.by_type or (one.depth == self._steps and names.isdisjoint(one.types)))
            ]
        return asked

    def facts(self, pointer: Pointer, payload: object, value: object) -> Facts:
        """Return the facts by which the dialects explain a finding about a value at a pointer in a payload."""
        if not self._dialects:
            return ()
        asked = self._asked(type(value))
        key: object
        if asked and self._all_here and isinstance(value, str) and len(value) <= _LONGEST_REMEMBERED:
            key = value  # all events of a stream have the same id
        else:
            whole = isinstance(value, float) and value.is_integer()
            key = type(value), whole, *self._answers(asked, pointer, payload, value)
        facts = self._by.get(key)
        if facts is None:
            if len(self._by) > _MOST_REMEMBERED:
                self._by.clear()
            facts = self._by[key] = self._explain(self._answers(self._questions, pointer, payload, value))
        return facts

    def _answers(self, asked: Iterable[_Question], pointer: Pointer, payload: object, value: object) -> list[bool]:
        answers = []
        for depth, fact in asked:
            there = value if depth == self._steps else read(payload, pointer[:depth])
            answers.append((there is ABSENT) == fact.absent and fact.accepts(there))
        return answers

    def _explain(self, answers: Sequence[bool]) -> Facts:
        explained: list[tuple[Dialect, Fact]] = []
        for dialect, deviations, behaviour in self._dialects:
            fact = next((one for number, one in deviations if answers[number]), behaviour)
            if fact is not None:
                explained.append((dialect, fact))
        facts = tuple(explained)
        return self._same.get(facts) or self._same.setdefault(facts, _Once(facts))
