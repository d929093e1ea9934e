"""Count the exchanges that speak a dialect, and their findings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from isogloss.validator.dialects.attribution import Attribution

__all__ = ["DialectCounts"]


class DialectCounts(Struct):
    """How many exchanges speak a dialect, or are undetermined, and how many findings in them the dialect explains.

    ``sure`` counts the exchanges that surely speak it. Some counts are by slug: ``relaying`` counts the dialects that
    this one surely relays, ``nearest`` those that are nearest to undetermined exchanges. ``confidence`` is the lowest
    of the sure attributions. It is ``None`` if there is none, as when the user gave the dialect.

    A survey counts a deviation once in each exchange, where others count each finding. It alone counts more: ``ties``
    has the dialects that cannot be distinguished from this one, ``tied`` the exchanges with ties, and ``bands`` the
    exchanges by the name of the range that holds the confidence in the nearest dialect.
    """

    exchanges: int = 0
    sure: int = 0
    tied: int = 0
    explained: int = 0
    unexplained: int = 0
    relaying: Counter[str] = field(default_factory=Counter)
    ties: Counter[str] = field(default_factory=Counter)
    nearest: Counter[str] = field(default_factory=Counter)
    bands: Counter[str] = field(default_factory=Counter)
    confidence: float | None = None

    def add(self, attribution: Attribution | None) -> None:
        """Count an exchange. Without an attribution, the user gave its dialect."""
        self.exchanges += 1
        if attribution is None:
            self.sure += 1
        elif attribution.sure:
            self.sure += 1
            self.relaying.update(attribution.chain[1:])
            self.confidence = min(self.confidence or 1.0, attribution.nearest.confidence)
        else:
            self.nearest[attribution.nearest.slug] += 1

    def merge(self, other: DialectCounts) -> None:
        """Add other counts of the same dialect."""
        for name in self.__struct_fields__:
            if name != "confidence":
                setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.confidence is not None:
            self.confidence = min(self.confidence or 1.0, other.confidence)
