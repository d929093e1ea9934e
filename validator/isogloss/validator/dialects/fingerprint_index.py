"""The forms that dialects' values have, by place: their fingerprints, and what deviations look like.

Of deviations only those of members of the payload itself are told so, where more than names and types decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from isogloss.validator.dialects.model import Deviation, Dialect, Fact, Fingerprint
from isogloss.validator.dialects.places import Document, redacted, steps_of, values
from isogloss.validator.engines import predicate

__all__ = ["Forms", "at_top", "fingerprinted", "places"]

_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 100
_NONE: frozenset[int] = frozenset()


class Forms:
    """The forms that count at a place of one kind of payload, and which of them values were found to have."""

    def __init__(self, dialects: Iterable[Dialect], kinds: frozenset[str], at: str) -> None:
        self.kinds = kinds
        self._steps = steps_of(at)
        distinct = {
            json.dumps(one.schema, sort_keys=True): one
            for dialect in dialects
            for one in _facts(dialect)
            if one.at == at and one.kinds & kinds
        }
        self._distinct = list(distinct.values())
        self._known: dict[str, frozenset[int] | None] = {}

    def there(self, document: object) -> bool:
        """Whether a document has a value at the place."""
        return any(True for _ in values(document, self._steps))

    def marks(self, document: Any) -> frozenset[int] | None:
        """As :meth:`shown`, of one document that has a value at the place."""
        if len(self._steps) == 1:
            return self._of(document[self._steps[0]])
        return self._all(values(document, self._steps))

    def shown(self, docs: Iterable[Document]) -> frozenset[int] | None:
        """The numbers of the forms that values at the place have; ``None`` where there are no values."""
        first = self._steps[0]
        return self._all(
            value
            for kind, document in docs
            if kind in self.kinds and isinstance(document, dict) and first in document
            for value in (values(document, self._steps) if len(self._steps) > 1 else (document[first],))
        )

    def _all(self, there: Iterable[object]) -> frozenset[int] | None:
        shown: frozenset[int] | None = None
        for value in there:
            forms = self._of(value)
            if forms is not None:
                shown = forms if shown is None else shown | forms
        return shown

    def _of(self, value: object) -> frozenset[int] | None:
        if not isinstance(value, str) or len(value) > _LONGEST_REMEMBERED:
            return self._ask(value)
        if value not in self._known:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            self._known[value] = self._ask(value)
        return self._known[value]

    @cached_property
    def _any(self) -> Callable[[object], bool]:
        """Whether a value has any of the forms, which is asked first."""
        return predicate({"anyOf": [one.schema for one in self._distinct]})

    def _ask(self, value: object) -> frozenset[int] | None:
        if redacted(value):
            return None
        if not self._any(value):
            return _NONE
        return frozenset([number for number, one in enumerate(self._distinct) if one.accepts(value)])


def places(dialects: Iterable[Dialect]) -> list[tuple[frozenset[str], str]]:
    """The places at which there are forms, each with the kind of payload it is in."""
    return _places(one for dialect in dialects for one in _facts(dialect))


def fingerprinted(dialects: Iterable[Dialect]) -> list[tuple[frozenset[str], str]]:
    """Those of them at which there are fingerprints."""
    return _places(one for dialect in dialects for one in _fingerprints(dialect))


def _places(facts: Iterable[Fingerprint | Deviation]) -> list[tuple[frozenset[str], str]]:
    return [(frozenset([kind]), at) for kind, at in sorted({(kind, one.at) for one in facts for kind in one.kinds})]


def at_top(fact: Fact) -> bool:
    """Whether a fact is about a member of the payload itself."""
    return "." not in fact.at and "[" not in fact.at


def _fingerprints(dialect: Dialect) -> Iterator[Fingerprint]:
    return (one for one in dialect.fingerprints if one.decides)


def _facts(dialect: Dialect) -> Iterator[Fingerprint | Deviation]:
    yield from _fingerprints(dialect)
    for one in dialect.deviations:
        if one.decides and one.schema is not None and not one.by_names_and_types and at_top(one):
            yield one
