"""Read from payloads what distinguishes dialects besides findings: the forms of values, and which paths exist.

Both are read in one walk. It visits only the paths that a dialect has a fact about, and no other part of a payload.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect, Fingerprint
from isogloss.validator.dialects.payloads import KindAndPayload, holder_of, is_redacted
from isogloss.validator.examining.subjects import needed_subjects
from isogloss.validator.kinds.events import has_finish_reason
from isogloss.validator.pointer import ABSENT, steps_of
from isogloss.validator.rules import is_about_wire, rule

__all__ = ["Features", "KindPath", "PayloadFeatures", "containers"]

_MOST_REMEMBERED = 1024
_LONGEST_REMEMBERED = 100

KindPath = tuple[str, str]
"""A kind of payload, and a path in it."""

_STREAM: KindPath = ("chunk", "")
"""What holds the behaviours that streams show."""


class Features(NamedTuple):
    """The features of payloads: the forms of their values, and which paths exist.

    ``forms`` holds each kind and path that has fingerprints and at which there are values, with the numbers of the
    fingerprints that these values satisfy. Fingerprints with equal schemas have the same number, see
    :attr:`PayloadFeatures.numbers`. ``present`` holds the kinds and paths that exist and at which a fact could have
    shown. ``overwritten`` holds those with fingerprints at which a recorder overwrote all values. ``dumped`` is true if
    the payloads do not show which properties were sent. ``unfinished`` is true for a stream whose end is not there, as
    in an excerpt.
    """

    forms: tuple[tuple[KindPath, frozenset[int]], ...]
    present: frozenset[KindPath]
    overwritten: frozenset[KindPath] = frozenset()
    dumped: bool = False
    unfinished: bool = False

    def hides(self, fact: Deviation | Behaviour) -> bool:
        """Return whether these payloads cannot show a fact, so that its absence proves nothing.

        They cannot in three cases. A recorder overwrote the values that the fact is about. Or a client library wrote
        the payloads anew, and the fact is about what was sent: something missing, a null, or a rule about the wire. Or
        the end of a stream is not there, and the fact may show only there: many properties stand in the last chunks.
        """
        if not isinstance(fact, Deviation):
            return (self.dumped and is_about_wire(fact.rule)) or (self.unfinished and rule(fact.rule).at_end)
        if (self.dumped and (fact.absent or fact.accepts(None))) or (self.unfinished and not fact.absent):
            return True
        return bool(self.overwritten) and any((kind, fact.at) in self.overwritten for kind in fact.kinds)


def containers(fact: Deviation | Behaviour) -> tuple[KindPath, ...]:
    """Return the kinds and paths in answers that hold a fact. If one of them exists, the fact could have shown.

    A behaviour has a path here only if its rule is about every stream. Other behaviours show on some occasions only.
    """
    return _holders(fact.kinds, fact.at) if isinstance(fact, Deviation) else _holders_of_rule(fact.rule)


@lru_cache(_MOST_REMEMBERED)
def _holders(kinds: frozenset[str], at: str) -> tuple[KindPath, ...]:
    holder = holder_of(at)
    return tuple([(kind, holder) for kind in kinds if kind != "request"])


@lru_cache(_MOST_REMEMBERED)
def _holders_of_rule(name: str) -> tuple[KindPath, ...]:
    is_about_every_stream = needed_subjects(name) - {"as sent"} == {"stream"} and not rule(name).by_chance
    return (_STREAM,) if is_about_every_stream else ()


class _Node:
    """A path in payloads: the paths one step below it, and the facts of dialects about its values."""

    __slots__ = ("beginnings", "fingerprints", "holder", "items", "kind_path", "properties", "satisfied")

    def __init__(self) -> None:
        self.properties: dict[str, _Node] = {}
        self.items: _Node | None = None
        self.kind_path: KindPath | None = None
        self.fingerprints: dict[int, Fingerprint] = {}
        self.beginnings: dict[int, dict[str, list[int]]] = {}  # by their length, with the fingerprints that have them
        self.satisfied: dict[object, frozenset[int]] = {}  # by null or short string, the fingerprints that accept it
        self.holder: KindPath | None = None

    def add(self, number: int, fingerprint: Fingerprint) -> None:
        """Add a fingerprint to those of the values at this path."""
        if number not in self.fingerprints:
            beginning = fingerprint.beginning
            self.fingerprints[number] = fingerprint
            self.beginnings.setdefault(len(beginning), {}).setdefault(beginning, []).append(number)

    def accepting(self, value: object) -> frozenset[int]:
        """Return the numbers of the fingerprints that accept a value. Only those with its beginning are asked."""
        text = value if isinstance(value, str) else ""
        asked = chain.from_iterable(known.get(text[:length], ()) for length, known in self.beginnings.items())
        return frozenset([number for number in asked if self.fingerprints[number].accepts(value)])

    def at(self, at: str) -> _Node:
        """Return the node of a path below this node. Make the nodes on the way that do not exist yet."""
        node = self
        for step in steps_of(at) or ():
            if step is None:
                node.items = node.items or _Node()
                node = node.items
            else:
                node = node.properties.setdefault(step, _Node())
        return node


class PayloadFeatures:
    """Reads features, but only at paths that some dialect has a verified fact about."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        self.numbers: dict[Fingerprint, int] = {}
        self._roots: dict[str, _Node] = {}
        self._nodes: dict[KindPath, _Node] = {}
        schemas: dict[bytes, int] = {}
        holders: set[KindPath] = set()
        for dialect in dialects:
            for fingerprint in dialect.fingerprints:
                number = schemas.setdefault(fingerprint.schema_text, len(schemas))
                self.numbers[fingerprint] = number
                for kind in fingerprint.kinds if fingerprint.decides else ():
                    if kind != "request":
                        node = self._node((kind, fingerprint.at))
                        node.kind_path = (kind, fingerprint.at)
                        node.add(number, fingerprint)
            holders.update(*[containers(fact) for fact in dialect.deviations if fact.decides])
            if dialect.behaviours:
                holders.add(_STREAM)  # whichever of its rules are about streams: to ask them, they would be imported
        for holder in holders:
            self._node(holder).holder = holder

    def _node(self, kind_path: KindPath) -> _Node:
        node = self._nodes.get(kind_path)
        if node is None:
            kind, at = kind_path
            node = self._nodes[kind_path] = self._roots.setdefault(kind, _Node()).at(at)
        return node

    def of(self, payloads: Iterable[KindAndPayload], *, dumped: bool = False) -> Features:
        """Return the features of some payloads, each given with its kind."""
        by_kind: dict[str, list[object]] = {}
        for kind, payload in payloads:
            by_kind.setdefault(kind, []).append(payload)
        holders_found: set[KindPath] = set()
        forms: dict[KindPath, frozenset[int] | None] = {}
        todo = [(self._roots[kind], values) for kind, values in by_kind.items() if kind in self._roots]
        for node, values in todo:  # the loop adds the paths below that have values
            if node.kind_path is not None:
                forms[node.kind_path] = _satisfied(node, values)
            if node.properties or node.holder:
                objects = [value for value in values if isinstance(value, dict)]
                if node.holder is not None and (objects or any(isinstance(value, list) for value in values)):
                    holders_found.add(node.holder)
                for name in node.properties.keys() & chain.from_iterable(objects):
                    todo.append((node.properties[name], [value[name] for value in objects if name in value]))
            if node.items is not None and (found := [i for value in values if isinstance(value, list) for i in value]):
                todo.append((node.items, found))
        genuine = sorted((kind_path, satisfied) for kind_path, satisfied in forms.items() if satisfied is not None)
        overwritten = frozenset(kind_path for kind_path, satisfied in forms.items() if satisfied is None)
        unfinished = "chunk" in by_kind and not any(map(has_finish_reason, reversed(by_kind["chunk"])))
        return Features(tuple(genuine), frozenset(holders_found), overwritten, dumped, unfinished)


def _satisfied(node: _Node, values: Iterable[object]) -> frozenset[int] | None:
    """Return the numbers of the fingerprints at a path that at least one of its values satisfies.

    Return ``None`` if a recorder overwrote all of the values.
    """
    remembered, found = node.satisfied, None
    before: object = ABSENT
    for value in values:
        if value == before:
            continue  # the chunks of a stream repeat their id and their model
        is_short = value is None or (isinstance(value, str) and len(value) <= _LONGEST_REMEMBERED)
        before = value if is_short else ABSENT
        satisfied = remembered.get(value) if is_short else None
        if satisfied is None:
            if is_redacted(value):
                continue
            satisfied = node.accepting(value)
            if is_short:
                if len(remembered) > _MOST_REMEMBERED:
                    remembered.clear()
                remembered[value] = satisfied
        if satisfied is not found:
            found = satisfied if found is None else found | satisfied
            if len(found) == len(node.fingerprints):
                break  # no other value can add any
    return found
