"""Compute how often a dialect shows each of its facts, and how often an unknown speaker would show the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from isogloss.validator.dialects.model import Dialect, Fact

__all__ = ["FactRates", "exchanges_known"]

UNCOUNTED = {
    "source-code": 0.7,
    "recorded": 0.7,
    "official-sdk": 0.35,
    "official-docs": 0.35,
    "third-party": 0.25,
}
"""The rate of a fact that nobody counted, by its source. It is low for documentation: servers often do not do what is
documented, or not always."""
SHAPE = 0.9
"""The rate of the facts of a shape, if nobody counted them. It is high: a shape consists of its facts alone."""
LEAST = 0.01
"""The share of unknown speakers that show a finding that no dialect is known for."""
EXCHANGES_OF_SOURCE = 150
"""The source code of a server is worth this number of recorded exchanges. It also shows what the server does not do."""
FEWEST_EXCHANGES = 8
"""Documentation is worth this number of recorded exchanges."""
ANY_FORM = 0.2
"""The rate at which an unknown speaker has a form of value that a dialect has. It counts like the rate of one more
family."""


class FactRates:
    """The rates of facts among some dialects.

    The background rate is the rate to expect of an unknown speaker. It is the mean over families. A parent and the
    dialects that inherit from it are one family, since they are not independent evidence. Each family counts with the
    rate of the dialect that shows the fact most often.
    """

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        slugs = {dialect.slug for dialect in dialects}
        self._families = {
            dialect.slug: next((parent for parent in dialect.parents if parent in slugs), dialect.slug)
            for dialect in dialects
        }
        self._count = len(set(self._families.values()))
        self._shapes = {dialect.slug for dialect in dialects if dialect.kind == "shape"}

    def rate_of(self, dialect: Dialect, fact: Fact, background: float = 0.0) -> float:
        """Return the rate of a fact: the share of a dialect's exchanges that show it, among those that could.

        A fact that was seen in ``k`` of ``n`` exchanges has the rate ``(k + 2 * max(background, 1/4)) / (n + 2)``: this
        draws small counts to the background. If the projects that recorded these exchanges differ, the projects are
        counted in place of the exchanges: those of one project are much alike, and do not show what is usual elsewhere.
        If nobody counted the fact, its rate is :data:`SHAPE` for a dialect that is a shape, else the rate in
        :data:`UNCOUNTED` for the confidence of its source.
        """
        if fact.seen is not None:
            shown, counted = fact.projects or fact.seen
            return (shown + 2 * max(background, 0.25)) / (counted + 2)
        return SHAPE if dialect.slug in self._shapes else UNCOUNTED[fact.confidence]

    def background(self, facts: Iterable[tuple[Dialect, Fact]]) -> float:
        """Return the rate at which an unknown speaker has the finding that these facts explain."""
        best = self._best_rates(facts)
        return (sum(best.values()) + LEAST * self._count) / ((1 + LEAST) * self._count)

    def background_of_form(self, satisfied: Mapping[Dialect, Sequence[Fact]], families: int) -> float:
        """Return the rate at which an unknown speaker has a form of value that these facts are about.

        ``families`` is the number of families with any facts about the forms of values at the path.
        """
        best = self._best_rates((dialect, fact) for dialect, facts in satisfied.items() for fact in facts)
        return (sum(best.values()) + 0.05 * families + ANY_FORM) / (families + 1)

    def count_families(self, dialects: Iterable[Dialect]) -> int:
        """Return how many families these dialects belong to."""
        return len({self._families[dialect.slug] for dialect in dialects})

    def _best_rates(self, facts: Iterable[tuple[Dialect, Fact]]) -> dict[str, float]:
        best: dict[str, float] = {}
        for dialect, fact in facts:
            family, rate = self._families[dialect.slug], self.rate_of(dialect, fact)
            if rate > best.get(family, 0.0):
                best[family] = rate
        return best


def exchanges_known(dialect: Dialect) -> int:
    """Return how many recorded exchanges our knowledge of a dialect is worth.

    This is the largest number of exchanges in which one of its facts was counted. It is at least
    :data:`EXCHANGES_OF_SOURCE` if a fact was read from source code, else at least :data:`FEWEST_EXCHANGES`.
    """
    counted = max((fact.seen[1] for fact in dialect.facts if fact.seen is not None), default=0)
    was_source_read = any(fact.confidence == "source-code" for fact in dialect.facts)
    return max(counted, EXCHANGES_OF_SOURCE if was_source_read else FEWEST_EXCHANGES)
