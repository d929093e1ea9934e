"""Naming a dialect without excusing it: every deviation counts, and yet the report says whose it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from isogloss.validator.dialects.attribution import Explained, Whichever
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.examining.examiner import Examined

__all__ = ["Naming"]


class Naming:
    """Attributes exchanges to dialects, and explains no finding by them."""

    def __init__(self, whichever: Whichever) -> None:
        self._whichever = whichever

    @classmethod
    def of(cls, dialects: Iterable[Dialect]) -> Naming | None:
        """The speaker for some dialects, or none where there are none."""
        known = tuple(dialects)
        return cls(Whichever(known)) if known else None

    def explain(self, examined: Examined) -> Explained:
        """The attribution, and nobody for each finding."""
        return self._whichever.explain(examined)._replace(by=[()] * len(examined.found))

    def marks(self, kind: str, value: object) -> Callable[[object], Hashable] | None:
        """As the attribution has them."""
        return self._whichever.marks(kind, value)
