"""Find the facts that were expected to show in payloads: those that a dialect shows more often than not.

A dialect whose expected facts are missed is less likely. The docstring of
:mod:`~isogloss.validator.dialects.attribution` says how much less.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, filterfalse

from msgspec import Struct

from isogloss.validator.dialects.eras import Eras
from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect, Fact, Fingerprint
from isogloss.validator.dialects.payload_features import Features, KindPath, containers
from isogloss.validator.dialects.rates import FactRates

__all__ = ["ExpectedFact", "ExpectedFacts"]

EXPECTED = 0.5
"""A fact is missed where its rate is above this."""
LEAST_MISSED = 0.2
"""The lowest chance that a dialect does not show something it always showed: servers change."""
MISSED_BACKGROUND = 0.9

_MOST_REMEMBERED = 4096


class ExpectedFact(Struct, frozen=True, eq=False):
    """A fact that a dialect shows more often than not, and its weight if the dialect does not show it."""

    position: int
    fact: Deviation | Behaviour
    what: str
    weight: float


class ExpectedFacts:
    """The facts that some dialects show more often than not. A dialect is given by its position among them."""

    def __init__(self, dialects: Sequence[Dialect], rates: FactRates) -> None:
        self._by_holder: dict[KindPath, list[ExpectedFact]] = defaultdict(list)
        self._by_fact: dict[Fact, ExpectedFact] = {}
        self._values: dict[tuple[int, str], list[ExpectedFact]] = defaultdict(list)
        for position, dialect in enumerate(dialects):
            for fact in dialect.explaining_facts:
                if fact.seen is not None and fact.decides and (rate := rates.rate_of(dialect, fact)) > EXPECTED:
                    self._add(position, fact, rate)
        self._dated = [one for one in self._by_fact.values() if one.fact.since or one.fact.until]
        self._eras = Eras(one.fact for one in self._dated)
        self._out_of_time_at = lru_cache(_MOST_REMEMBERED)(self._find_out_of_time)
        self._beside = lru_cache(_MOST_REMEMBERED)(self._find_beside)
        self._hidden = cache(self._find_hidden)

    def _add(self, position: int, fact: Deviation | Behaviour, rate: float) -> None:
        weight = math.log(max(1 - rate, LEAST_MISSED) / MISSED_BACKGROUND)
        expected = self._by_fact[fact] = ExpectedFact(position, fact, fact.title, weight)
        for holder in containers(fact):
            self._by_holder[holder].append(expected)
        if isinstance(fact, Deviation) and not fact.absent:
            self._values[position, fact.at].append(expected)

    def era(self, when: float | None) -> float | None:
        """Return a moment at which the same facts are expected as at the given one."""
        return self._eras.era(when)

    def of(self, features: Features, when: float | None) -> Sequence[ExpectedFact]:
        """Return the facts that payloads with these features could have shown at a moment; each fact once."""
        not_expected = self._out_of_time_at(when) | self._hidden(features.dumped, features.unfinished)
        facts = list(filterfalse(not_expected.__contains__, self._beside(features.present)))
        return [expected for expected in facts if not features.hides(expected.fact)] if features.overwritten else facts

    def not_missed(self, shown: Iterable[tuple[int, Fact]], when: float | None) -> frozenset[ExpectedFact]:
        """Return the facts that are not missed where dialects, given by their positions, show these facts.

        They are these facts themselves. Beside a form of a value that holds at that moment, they are also the other
        values at its path: a value has only one of them.
        """
        found: list[ExpectedFact] = []
        for position, fact in shown:
            if isinstance(fact, Fingerprint):
                if fact.holds(when):
                    found += self._values.get((position, fact.at), ())
            elif fact in self._by_fact:
                found.append(self._by_fact[fact])
        return frozenset(found)

    def _find_beside(self, present: frozenset[KindPath]) -> Collection[ExpectedFact]:
        """Return the facts that are expected at any moment, given the paths that exist; each fact once."""
        return dict.fromkeys(chain.from_iterable(self._by_holder.get(one, ()) for one in sorted(present)))

    def _find_hidden(self, dumped: bool, unfinished: bool) -> frozenset[ExpectedFact]:
        """Return the facts that payloads cannot show which were ``dumped``, or are ``unfinished``."""
        features = Features((), frozenset(), dumped=dumped, unfinished=unfinished)
        return frozenset([one for one in self._by_fact.values() if features.hides(one.fact)])

    def _find_out_of_time(self, when: float | None) -> frozenset[ExpectedFact]:
        """Return the facts that did not hold at a moment."""
        return frozenset([one for one in self._dated if not one.fact.holds(when)])
