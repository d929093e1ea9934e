"""The fingerprints of dialects by place: which forms a value has there that some dialect's values have."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from isogloss.validator.dialects import Dialect
from isogloss.validator.documents import Document, redacted, steps_of, values
from isogloss.validator.engines import predicate

__all__ = ["Forms", "places"]

_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 100
_NONE: frozenset[int] = frozenset()


class Forms:
    """The fingerprints that decide at a place of one kind of payload, and which of them values were found to show."""

    def __init__(self, dialects: Iterable[Dialect], kinds: frozenset[str], at: str) -> None:
        self.kinds = kinds
        self._steps = steps_of(at)
        distinct = {
            json.dumps(one.schema, sort_keys=True): one
            for dialect in dialects
            for one in dialect.fingerprints
            if one.at == at and one.decides and one.kinds & kinds
        }
        self._distinct = list(distinct.values())
        self._any = predicate({"anyOf": [one.schema for one in self._distinct]})
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

    def _ask(self, value: object) -> frozenset[int] | None:
        if redacted(value):
            return None
        if not self._any(value):
            return _NONE
        return frozenset([number for number, one in enumerate(self._distinct) if one.accepts(value)])


def places(dialects: Iterable[Dialect]) -> list[tuple[frozenset[str], str]]:
    """The places at which the fingerprints decide, each with the kind of payload it is in."""
    return sorted(
        {
            (frozenset([kind]), one.at)
            for dialect in dialects
            for one in dialect.fingerprints
            if one.decides
            for kind in one.kinds
        },
        key=str,
    )
