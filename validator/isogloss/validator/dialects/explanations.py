"""Find the facts by which dialects explain a finding.

Many dialects have the same schema at a path. Each schema checks a value only once, for all dialects that have it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect, Fact
from isogloss.validator.dialects.payloads import values_at_pointer
from isogloss.validator.examining.examined import Examined, RuleHit
from isogloss.validator.examining.placing import payload_of_hit, value_at
from isogloss.validator.exchange import Stream
from isogloss.validator.pointer import ABSENT, UNREAD, Pointer, generic, read
from isogloss.validator.rules import GROUPS, group_of, rule

__all__ = ["ABSENCES", "Accepted", "Explanations", "Facts", "ObservedFinding", "about_schema", "observe"]

ABSENCES = frozenset({"missing-property", "documented-property-absent"})
"""The rules of the schema about something that is missing."""

_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 100
_TYPE_NAMES: dict[type, frozenset[str]] = {
    str: frozenset({"string"}), bool: frozenset({"boolean"}), int: frozenset({"integer", "number"}),
    float: frozenset({"integer", "number"}), dict: frozenset({"object"}), list: frozenset({"array"}),
    type(None): frozenset({"null"}),
}  # fmt: skip
"""The names that JSON Schema has for the types of Python values."""
_ALL_TYPE_NAMES = frozenset[str]().union(*_TYPE_NAMES.values())

Facts: TypeAlias = tuple[tuple[Dialect, Fact], ...]
"""Dialects, each with the fact by which it explains a finding."""
Accepted: TypeAlias = dict[tuple[int, int], bool]
"""Whether deviations accept values, by the ``id()`` of both. It is of use as long as these values live."""


class _SharedFacts(tuple[tuple[Dialect, Fact], ...]):
    """Facts that are compared and hashed by identity. This is enough, since equal ones are the same object."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class ObservedFinding(Struct, frozen=True):
    """A finding, with everything that decides which facts explain it: the rule, the kind, the path, and the value."""

    rule: str
    kind: str
    path: str
    found: RuleHit
    payload: object
    value: object


def observe(examined: Examined, found: RuleHit) -> ObservedFinding:
    """Return what dialects have to know about a finding."""
    kind, payload = payload_of_hit(examined.exchange, found.part, found.hit, examined.folded)
    return ObservedFinding(found.rule, kind, generic(found.hit.pointer), found, payload, value_at(payload, found.hit))


@cache
def about_schema(name: str) -> bool:
    """Return whether deviations may explain the findings of a rule.

    They may for the rules of the schema, and for a rule that replaces one of them.
    """
    return any(
        one == "schema" or (one not in GROUPS and group_of(one) == "schema") for one in (name, *rule(name).replaces)
    )


class Explanations:
    """Explains findings by the facts of some dialects, reading only those with facts about the rule or path."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        self._dialects = tuple(dialects)
        self._deviations_at: dict[tuple[str, str], list[tuple[int, Deviation]]] = defaultdict(list)
        self._behaviours_of: dict[str, list[tuple[int, Behaviour]]] = defaultdict(list)
        for position, dialect in enumerate(self._dialects):
            for deviation in dialect.deviations:
                for kind in deviation.kinds if deviation.decides else ():
                    self._deviations_at[kind, deviation.at].append((position, deviation))
            for behaviour in dialect.behaviours:
                if behaviour.decides:
                    self._behaviours_of[behaviour.rule].append((position, behaviour))
        self._concerned: dict[tuple[str, str, str], _ConcernedDialects] = {}
        self._shared: dict[Facts, Facts] = {}

    def observe(self, examined: Examined) -> list[tuple[ObservedFinding, Facts]]:
        """Return what dialects have to know about each finding, and the facts by which they explain it.

        The values in the events of a finding may differ, so that different facts explain them. Then the finding is
        split: each part has the events that the same facts explain.
        """
        explained = []
        accepted: Accepted = {}
        body = examined.exchange.response
        for found in examined.hits:
            observed = observe(examined, found)
            pointer = found.hit.pointer
            concerned = self._concerned_by(observed.rule, observed.kind, observed.path, pointer)
            if len(found.events) < 2 or not isinstance(body, Stream):
                explained.append((observed, concerned.facts(pointer, observed.payload, observed.value, accepted)))
                continue
            parts = concerned.parts(found, list(map(body.values.__getitem__, found.events)), accepted)
            if len(parts) == 1:
                explained.append((observed, parts[0][0]))
            else:
                explained.extend((observe(examined, found.on_events(events)), facts) for facts, events in parts)
        return explained

    def facts(self, observed: ObservedFinding, accepted: Accepted | None = None) -> Facts:
        """Return the facts by which dialects explain a finding, in the order of the dialects.

        Equal facts are one and the same object for as long as this object lives. If several findings of one exchange
        are explained one after the other, ``accepted`` keeps what they share.
        """
        pointer = observed.found.hit.pointer
        concerned = self._concerned_by(observed.rule, observed.kind, observed.path, pointer)
        return concerned.facts(pointer, observed.payload, observed.value, {} if accepted is None else accepted)

    def _concerned_by(self, rule: str, kind: str, path: str, pointer: Pointer) -> _ConcernedDialects:
        key = (rule, kind, path)
        concerned = self._concerned.get(key)
        if concerned is None:
            if len(self._concerned) > _MOST_REMEMBERED:
                self._concerned.clear()
            concerned = self._concerned[key] = self._find_concerned(rule, kind, path, pointer)
        return concerned

    def _find_concerned(self, rule: str, kind: str, path: str, pointer: Pointer) -> _ConcernedDialects:
        """Find the dialects with behaviours of a rule at a path, and those with deviations at or around a pointer."""
        checks: dict[tuple[int, bool, bytes], _Check] = {}
        deviations: dict[int, list[tuple[int, Deviation]]] = defaultdict(list)
        for depth in range(len(pointer), 0, -1) if about_schema(rule) else ():
            for position, deviation in self._deviations_at.get((kind, generic(pointer[:depth])), ()):
                key = (depth, deviation.absent, deviation.schema_text)
                check = checks.get(key)
                if check is None:
                    check = checks[key] = _Check(len(checks), depth, deviation)
                deviations[position].append((check.number, deviation))
        behaviours: dict[int, Behaviour] = {}
        for position, behaviour in self._behaviours_of.get(rule, ()):
            if behaviour.at in ("", path):
                behaviours.setdefault(position, behaviour)
        dialects = [
            (self._dialects[position], deviations.get(position, ()), behaviours.get(position))
            for position in sorted(deviations.keys() | behaviours.keys())
        ]
        return _ConcernedDialects(dialects, list(checks.values()), len(pointer), self._shared)


class _Check(NamedTuple):
    """The check whether a deviation accepts the value at the first ``depth`` steps of a pointer.

    ``number`` is its number among the checks of a finding.
    """

    number: int
    depth: int
    fact: Deviation

    @property
    def types(self) -> frozenset[str]:
        """The types of values that its schema may accept: those that it names, or those of the values that it lists.

        If it does neither, these are all types. Without a schema, there are none.
        """
        schema = self.fact.schema
        if schema is None:
            return frozenset()
        listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if "type" not in schema and listed is not None:
            return frozenset[str]().union(*(_TYPE_NAMES[type(value)] for value in listed))
        types = schema.get("type", _ALL_TYPE_NAMES)
        return frozenset([types] if isinstance(types, str) else types)


class _ConcernedDialects:
    """The dialects with facts about the findings of a rule at a path.

    Whether a fact explains a finding depends on whether its schema accepts the value at the path, or the value around
    it. If only types decide, the type of the value at the path is enough: the types around it are always the same. If
    there is no value, they are the same up to where the payload ends on the way to it.
    """

    def __init__(
        self,
        dialects: Sequence[tuple[Dialect, Sequence[tuple[int, Fact]], Fact | None]],
        checks: Sequence[_Check],
        steps: int,
        shared: dict[Facts, Facts],
    ) -> None:
        self._dialects = dialects
        self._checks = checks
        self._steps = steps
        self._shared = shared
        self._facts: dict[object, Facts] = {}
        self._undecided: dict[type, list[_Check]] = {}
        self._all_at_path = all(check.depth == steps for check in checks)

    def parts(
        self, found: RuleHit, payloads: Sequence[object], accepted: Accepted
    ) -> list[tuple[Facts, Sequence[int]]]:
        """Return the facts that explain a finding on several events, each with the events in which they explain it.

        ``payloads`` are the payloads in the events. Nothing is read in them if no fact is about a value.
        """
        pointer, known = found.hit.pointer, found.hit.value
        if not self._checks:
            return [(self.facts(pointer, payloads[0], ABSENT, accepted), found.events)]
        values = values_at_pointer(payloads, pointer) if known is UNREAD else [known] * len(payloads)
        keys = self._keys(values, pointer, payloads)
        facts_by_key = {
            key: self.facts(pointer, payloads[position], values[position], accepted)
            for key, position in dict(zip(keys, range(len(values)), strict=True)).items()
        }
        if len(set(map(id, facts_by_key.values()))) == 1:
            return [(facts_by_key[keys[0]], found.events)]
        parts: dict[int, tuple[Facts, list[int]]] = {}
        for event, key in zip(found.events, keys, strict=True):
            facts = facts_by_key[key]
            parts.setdefault(id(facts), (facts, []))[1].append(event)
        return list(parts.values())

    def _keys(self, values: Sequence[object], pointer: Pointer, payloads: Sequence[object]) -> Sequence[object]:
        """Return a key for each of the values at a pointer: the same facts explain a finding about values with one key.

        The key is the type of the value, or of the object that lacks it, if the facts need no more. If all values are
        strings, it is the string: all events of a stream have the same id. Otherwise, each value has its own number.
        """
        types = list(map(type, values))
        distinct = set(types)
        if all(map(self._is_decided_by, distinct)):
            return types
        if distinct == {str} and self._all_at_path:
            return values
        if distinct == {type(ABSENT)} and not self._undecided_by(type(ABSENT)):
            types_around = list(map(type, values_at_pointer(payloads, pointer[:-1])))
            if type(ABSENT) not in types_around:
                return types_around
        return range(len(values))

    def _is_decided_by(self, value_type: type) -> bool:
        """Return whether the type of a value at the path is all that the facts need."""
        return (
            value_type is not float  # 1.0 is an integer
            and (self._all_at_path or value_type is not type(ABSENT))
            and not self._undecided_by(value_type)
        )

    def _undecided_by(self, value_type: type) -> list[_Check]:
        """Return the checks that need more than the type of a value at the path."""
        undecided = self._undecided.get(value_type)
        if undecided is None:
            names = _TYPE_NAMES.get(value_type, frozenset())
            undecided = self._undecided[value_type] = [
                check
                for check in self._checks
                if not (check.fact.by_type or (check.depth == self._steps and names.isdisjoint(check.types)))
            ]
        return undecided

    def facts(self, pointer: Pointer, payload: object, value: object, accepted: Accepted) -> Facts:
        """Return the facts by which the dialects explain a finding about a value at a pointer in a payload."""
        if not self._dialects:
            return ()
        facts = self._facts.get(type(value))
        if facts is None:
            key = self._key(pointer, payload, value, accepted)
            facts = self._facts.get(key)
        if facts is None:
            if len(self._facts) > _MOST_REMEMBERED:
                self._facts.clear()
            facts = self._facts[key] = self._explain(self._results(self._checks, pointer, payload, value, accepted))
        return facts

    def _key(self, pointer: Pointer, payload: object, value: object, accepted: Accepted) -> object:
        """Return what decides which facts explain a finding about a value at a pointer in a payload."""
        value_type = type(value)
        if self._is_decided_by(value_type):
            return value_type
        undecided = self._undecided_by(value_type)
        if undecided and self._all_at_path and isinstance(value, str) and len(value) <= _LONGEST_REMEMBERED:
            return value  # all events of a stream have the same id
        is_integer = isinstance(value, float) and value.is_integer()
        end = None if self._all_at_path or value is not ABSENT else _end(pointer, payload)
        return value_type, is_integer, end, *self._results(undecided, pointer, payload, value, accepted)

    def _results(
        self, checks: Iterable[_Check], pointer: Pointer, payload: object, value: object, accepted: Accepted
    ) -> list[bool]:
        return [
            _accepts(fact, value)
            if depth == self._steps
            else _accepts_around(fact, read(payload, pointer[:depth]), accepted)
            for _, depth, fact in checks
        ]

    def _explain(self, results: Sequence[bool]) -> Facts:
        explaining: list[tuple[Dialect, Fact]] = []
        for dialect, deviations, behaviour in self._dialects:
            for number, deviation in deviations:
                if results[number]:
                    explaining.append((dialect, deviation))
                    break
            else:
                if behaviour is not None:
                    explaining.append((dialect, behaviour))
        facts = tuple(explaining)
        return self._shared.get(facts) or self._shared.setdefault(facts, _SharedFacts(facts))


def _accepts(fact: Deviation, value: object) -> bool:
    return (value is ABSENT) == fact.absent and fact.accepts(value)


def _accepts_around(fact: Deviation, value: object, accepted: Accepted) -> bool:
    """Return whether a fact accepts a value that holds others. Very many findings may be in it, which share this."""
    key = id(fact), id(value)
    accepts = accepted.get(key)
    if accepts is None:
        if len(accepted) >= _MOST_REMEMBERED:
            accepted.clear()
        accepts = accepted[key] = _accepts(fact, value)
    return accepts


def _end(pointer: Pointer, payload: object) -> tuple[int, type]:
    """Return how many steps of a pointer lead to a value in a payload, and the type of the last of these values."""
    value = payload
    for number in range(len(pointer)):
        inner = read(value, pointer[number : number + 1])
        if inner is ABSENT:
            return number, type(value)
        value = inner
    return len(pointer), type(value)
