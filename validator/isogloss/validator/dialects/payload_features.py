"""What of an exchange's payloads tells dialects apart besides findings: the forms of values, and which places exist.

Both are read in one walk along the places that any dialect has a fact about; what else a payload holds is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson

from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect, Fact, Fingerprint
from isogloss.validator.dialects.places import Document, redacted, steps_of
from isogloss.validator.rules import group_of

__all__ = ["Features", "PayloadFeatures", "Place", "holders"]

_MOST_REMEMBERED = 1024
_LONGEST_REMEMBERED = 100

Place = tuple[str, str]
"""A kind of payload, and a generic place in it."""


class Features(NamedTuple):
    """For each place with fingerprints at which there are values, the fingerprints they satisfy; and the places there.

    Fingerprints with equal schemas count as one, told by its number in :attr:`PayloadFeatures.numbers`. ``overwritten``
    are the places with fingerprints at which a recorder left no other value than its own.
    """

    forms: tuple[tuple[Place, frozenset[int]], ...]
    there: frozenset[Place]
    overwritten: frozenset[Place] = frozenset()

    def hides(self, fact: Fact) -> bool:
        """Whether a recorder overwrote what a fact is about, so that nothing follows from its not being seen."""
        return isinstance(fact, Deviation) and any((kind, fact.at) in self.overwritten for kind in fact.kinds)


def holders(fact: Deviation | Behaviour) -> Iterator[Place]:
    """The places of answers that hold the fact's place: where one of them exists, the fact could have shown.

    Of the behaviours, only those of a stream are what every stream of a dialect shows; the others have their occasions.
    """
    if isinstance(fact, Deviation):
        holder = ".".join(steps_of(fact.at)[:-1]).replace(".[]", "[]")
        yield from ((kind, holder) for kind in fact.kinds if kind != "request")
    elif group_of(fact.rule) == "stream":
        yield "chunk", ""


class _Node:
    """A place: the steps on from it, and what is asked of it."""

    __slots__ = ("fingerprints", "holder", "items", "known", "members", "place")

    def __init__(self) -> None:
        self.members: dict[str, _Node] = {}
        self.items: _Node | None = None
        self.place: Place | None = None
        self.fingerprints: dict[int, Fingerprint] = {}
        self.known: dict[str, frozenset[int]] = {}  # which fingerprints short strings satisfy
        self.holder: Place | None = None

    def at(self, at: str) -> _Node:
        """The node of a generic place below this one."""
        node = self
        for step in steps_of(at) if at else ():
            if step == "[]":
                node.items = node.items or _Node()
                node = node.items
            else:
                node = node.members.setdefault(step, _Node())
        return node


class PayloadFeatures:
    """Reads features, of those places only that some dialect has a verified fact about."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        self.numbers: dict[Fingerprint, int] = {}
        self._roots: dict[str, _Node] = {}
        schemas: dict[bytes, int] = {}
        for dialect in dialects:
            for fingerprint in dialect.fingerprints:
                number = schemas.setdefault(orjson.dumps(fingerprint.schema, option=orjson.OPT_SORT_KEYS), len(schemas))
                self.numbers[fingerprint] = number
                for kind in fingerprint.kinds if fingerprint.decides else ():
                    if kind != "request":
                        node = self._node((kind, fingerprint.at))
                        node.place = (kind, fingerprint.at)
                        node.fingerprints.setdefault(number, fingerprint)
            claims: tuple[Deviation | Behaviour, ...] = (*dialect.deviations, *dialect.behaviours)
            for fact in claims:
                for holder in holders(fact) if fact.decides else ():
                    self._node(holder).holder = holder

    def _node(self, place: Place) -> _Node:
        kind, at = place
        return self._roots.setdefault(kind, _Node()).at(at)

    def of(self, documents: Iterable[Document]) -> Features:
        """The features of some payloads."""
        there: set[Place] = set()
        forms: dict[Place, frozenset[int] | None] = {}
        for kind, document in documents:
            root = self._roots.get(kind)
            if root is not None:
                _walk(document, root, there, forms)
        genuine = sorted((place, satisfied) for place, satisfied in forms.items() if satisfied is not None)
        overwritten = frozenset(place for place, satisfied in forms.items() if satisfied is None)
        return Features(tuple(genuine), frozenset(there), overwritten)


def _walk(value: object, node: _Node, there: set[Place], forms: dict[Place, frozenset[int] | None]) -> None:
    if node.holder is not None:
        there.add(node.holder)
    if node.place is not None:
        satisfied = _satisfied(node, value)
        known = forms.setdefault(node.place, satisfied)
        if satisfied is not None and satisfied is not known:
            forms[node.place] = satisfied if known is None else known | satisfied
    if isinstance(value, dict):
        for name, member in node.members.items():
            if name in value:
                _walk(value[name], member, there, forms)
    elif isinstance(value, list) and node.items is not None:
        for item in value:
            _walk(item, node.items, there, forms)


def _satisfied(node: _Node, value: object) -> frozenset[int] | None:
    """The fingerprints of a place that a value satisfies; ``None`` for one that a recorder overwrote."""
    if not isinstance(value, str) or len(value) > _LONGEST_REMEMBERED:
        return None if redacted(value) else _ask(node, value)
    satisfied = node.known.get(value)
    if satisfied is None:
        if redacted(value):
            return None
        if len(node.known) > _MOST_REMEMBERED:
            node.known.clear()
        satisfied = node.known[value] = _ask(node, value)
    return satisfied


def _ask(node: _Node, value: object) -> frozenset[int]:
    return frozenset(number for number, one in node.fingerprints.items() if one.accepts(value))
