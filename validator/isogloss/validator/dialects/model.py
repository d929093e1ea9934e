"""Dialects as the validator reads them: facts by place, with the schemas of their values compiled when first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from isogloss import schemas
from isogloss.validator.engines import predicate
from isogloss.validator.pointer import ABSENT, Pointer, generic

__all__ = [
    "Behaviour",
    "Deviation",
    "Dialect",
    "Fact",
    "Fingerprint",
    "Restriction",
    "dialect",
    "dialects",
    "from_data",
]

_UNKNOWN_FREQUENCY = 0.5


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What all facts share.

    ``frequency`` estimates the share of exchanges that show it (with one imagined exchange that does and one that does
    not, so that a few recordings never make a certainty); ``decides`` is false for what nobody could verify.
    """

    at: str
    frequency: float
    source: str
    decides: bool
    schema: Mapping[str, Any] | None = None

    @cached_property
    def accepts(self) -> Callable[[object], bool]:
        """Whether a value at the place satisfies the schema of the fact."""
        return predicate(self.schema) if self.schema is not None else lambda value: value is ABSENT

    @property
    def by_type(self) -> bool:
        """Whether nothing but the type of a value decides whether it is accepted."""
        return self.schema is None or self.schema.keys() <= {"type"}

    @cached_property
    def by_names_and_types(self) -> bool:
        """Whether nothing but the names and types in a value decide whether it is accepted."""
        return self.schema is None or _by_names_and_types(self.schema)


_OF_NAMES_AND_TYPES = {"type", "required", "minItems", "maxItems"}


def _by_names_and_types(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return isinstance(schema, bool)
    return all(
        name in _OF_NAMES_AND_TYPES
        or (name in ("items", "additionalProperties") and _by_names_and_types(part))
        or (name == "properties" and all(map(_by_names_and_types, part.values())))
        for name, part in schema.items()
    )


@dataclass(frozen=True, kw_only=True)
class Deviation(Fact):
    """What the dialect puts, or with ``absent`` leaves out, at a place of a kind of payload."""

    kinds: frozenset[str]
    absent: bool = False


@dataclass(frozen=True, kw_only=True)
class Fingerprint(Fact):
    """What the dialect shows at a place where the reference allows it too."""

    kinds: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Behaviour(Fact):
    """A rule that the dialect is known to break, at the place ``at`` or, where that is empty, anywhere."""

    rule: str


@dataclass(frozen=True, kw_only=True)
class Restriction(Fact):
    """What a request may not hold: a value has to satisfy the schema; without one, nothing may stand at the place.

    ``observed`` says whether its source is a recording or the server's code, and not documentation alone.
    """

    effect: str
    observed: bool = False


class Dialect:
    """One dialect, complete with what it inherits; ``deviations`` are looked up by place, ``behaviours`` by rule."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.slug: str = data["slug"]
        self.name: str = data["name"]
        self.kind: str = data["kind"]
        self.hosts: tuple[str, ...] = tuple(data["hosts"])
        self.deviations = [
            Deviation(kinds=frozenset(fact["in"]), absent="absent" in fact, **self._fact(fact))
            for fact in data["deviations"]
        ]
        self.fingerprints = [
            Fingerprint(kinds=frozenset(fact["in"]), **self._fact(fact)) for fact in data["fingerprints"]
        ]
        self.behaviours = [Behaviour(rule=fact["rule"], **self._fact(fact)) for fact in data["behaviours"]]
        self.restrictions = [
            Restriction(
                effect=fact["effect"],
                observed=data["sources"][fact["source"]]["confidence"] in ("recorded", "source-code"),
                **self._fact(fact),
            )
            for fact in data["restrictions"]
        ]
        self._at: dict[tuple[str, str], list[Deviation]] = {}
        for deviation in self.deviations:
            for kind in deviation.kinds:
                self._at.setdefault((kind, deviation.at), []).append(deviation)
        self._of: dict[str, list[Behaviour]] = {}
        for behaviour in self.behaviours:
            self._of.setdefault(behaviour.rule, []).append(behaviour)

    def _fact(self, fact: Mapping[str, Any]) -> dict[str, Any]:
        seen = fact.get("seen")
        return {
            "at": fact.get("at", ""),
            "frequency": (seen[0] + 1) / (seen[1] + 2) if seen else _UNKNOWN_FREQUENCY,
            "source": fact["source"],
            "decides": self.data["sources"][fact["source"]]["confidence"] != "unverified",
            "schema": fact.get("schema"),
        }

    def speaks_at(self, host: str) -> bool:
        """Whether a host name is one of the dialect's."""
        return any(host == known or (known.startswith("*.") and host.endswith(known[1:])) for known in self.hosts)

    def concerns(self, rule: str, kind: str, pointer: Pointer) -> bool:
        """Whether the dialect has anything at all to say of findings of a rule, or at or around a place."""
        return rule in self._of or any(True for _ in self.around(kind, pointer))

    def behaviour(self, rule: str, path: str) -> Behaviour | None:
        """The behaviour that explains a finding of a rule at a generic path."""
        return next((one for one in self._of.get(rule, ()) if one.decides and one.at in ("", path)), None)

    def around(self, kind: str, pointer: Pointer) -> Iterator[tuple[int, list[Deviation]]]:
        """The deviations at a place, then those around it, each with the number of steps to where they are."""
        for depth in range(len(pointer), 0, -1):
            known = self._at.get((kind, generic(pointer[:depth])))
            if known:
                yield depth, known

    def deviation(self, kind: str, pointer: Pointer, payload: object, value: object) -> Deviation | None:
        """The deviation that explains ``value`` at a place: one there, or around it that accepts the whole."""
        for depth, known in self.around(kind, pointer) if self._at else ():
            there = value if depth == len(pointer) else _within(payload, pointer[:depth])
            for one in known:
                if one.decides and (there is ABSENT) == one.absent and one.accepts(there):
                    return one
        return None


def _within(payload: object, pointer: Pointer) -> object:
    for step in pointer:
        try:
            payload = payload[step]  # type: ignore[index]
        except (LookupError, TypeError):
            return ABSENT
    return payload


def from_data(data: Mapping[str, Any]) -> Dialect:
    """A dialect from the content of a dialect file, which may inherit from dialects that ship.

    Raises ``KeyError`` for a parent or a source that does not exist; the content must satisfy the dialect schema.
    """
    return Dialect(schemas.inherit(data, {parent: schemas.dialect(parent) for parent in data.get("inherits", ())}))


@cache
def dialect(slug: str) -> Dialect:
    """The dialect of that slug. Raises ``KeyError`` for an unknown one."""
    return Dialect(schemas.dialect(slug))


def dialects() -> Iterator[Dialect]:
    """Every dialect that ships."""
    return map(dialect, schemas.dialects())
