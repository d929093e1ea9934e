"""Find which dialects claim the values at a path: those that have fingerprints there, and expect no other form."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from msgspec import Struct

from isogloss.validator.dialects.eras import Eras
from isogloss.validator.dialects.model import Dialect, Fingerprint
from isogloss.validator.dialects.payload_features import KindPath, PayloadFeatures
from isogloss.validator.dialects.rates import FactRates

__all__ = ["Claims", "PathClaims"]

LEAST_OTHER_FORM = 0.1

_MOST_REMEMBERED = 4096


class PathClaims(Struct, frozen=True):
    """The dialects with fingerprints at a path.

    ``own`` holds the position of each of these dialects, its fingerprints there, and their numbers. ``families`` is the
    number of their families. ``relations`` and ``weights`` hold, for each dialect, how a value counts if it satisfies
    none of the dialect's fingerprints.
    """

    own: list[tuple[int, list[Fingerprint], frozenset[int]]]
    families: int
    relations: tuple[str, ...]
    weights: tuple[float, ...]


class _Forms(NamedTuple):
    """The forms of values at a path: ``own`` and ``families`` as in :class:`PathClaims`.

    ``single`` holds the positions of the dialects whose value has one form only, and their fingerprints with rates.
    """

    own: list[tuple[int, list[Fingerprint], frozenset[int]]]
    families: int
    single: list[tuple[int, list[tuple[Fingerprint, float]]]]


class Claims:
    """The claims of some dialects, by kind and path.

    ``paths`` are all paths with claims, where a delta counts as a message.
    """

    def __init__(self, dialects: Sequence[Dialect], features: PayloadFeatures, rates: FactRates) -> None:
        self._dialects = dialects
        self._numbers = features.numbers
        self._rates = rates
        self._known_by_errors = [one for one in dialects if _has_facts_about_errors(one)]
        self.paths: set[str] = set()
        self._fingerprints: dict[KindPath, dict[int, list[Fingerprint]]] = defaultdict(lambda: defaultdict(list))
        for position, dialect in enumerate(dialects):
            for fingerprint in dialect.fingerprints:
                if fingerprint.decides:
                    self.paths.add(fingerprint.at.replace("delta", "message"))
                    for kind in fingerprint.kinds:
                        self._fingerprints[kind, fingerprint.at][position].append(fingerprint)
        self._eras = {
            kind_path: Eras(chain.from_iterable(by_position.values()))
            for kind_path, by_position in self._fingerprints.items()
        }
        self._forms_at = cache(self._find_forms)
        self.at = lru_cache(_MOST_REMEMBERED)(self._find_at)

    def era(self, kind_path: KindPath, when: float | None) -> float | None:
        """Return a moment at which the claims at a path are the same as at the given one.

        It is the beginning of the era of the fingerprints at this path. So weights are computed for few moments.
        """
        return self._eras[kind_path].era(when)

    def _find_at(self, kind_path: KindPath, when: float | None) -> PathClaims:
        """Return the dialects with fingerprints at a path, and how a value of another form counts for each dialect.

        Only the fingerprints that hold at the moment add to these weights.
        """
        own, families, single = self._forms_at(kind_path)
        relations, weights = [""] * len(self._dialects), [0.0] * len(self._dialects)
        for position, fingerprints_with_rates in single:
            rate = sum([rate for fingerprint, rate in fingerprints_with_rates if fingerprint.holds(when)])
            relations[position], weights[position] = "another's", math.log(max(1 - rate, LEAST_OTHER_FORM))
        return PathClaims(own, families, tuple(relations), tuple(weights))

    def with_name_of_another(self, claims: PathClaims) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """Return, for each dialect, how a value counts that holds the name of a speaker which it is not.

        It is another's for all dialects that relay no other, whether they have fingerprints at the path or not.
        """
        relations, weights = list(claims.relations), list(claims.weights)
        for position, dialect in enumerate(self._dialects):
            if not relations[position] and dialect.kind != "gateway" and not dialect.relays:
                relations[position], weights[position] = "another's", math.log(LEAST_OTHER_FORM)
        return tuple(relations), tuple(weights)

    def _find_forms(self, kind_path: KindPath) -> _Forms:
        """Return the forms of values at a path, whenever they hold."""
        own: list[tuple[int, list[Fingerprint], frozenset[int]]] = []
        single: list[tuple[int, list[tuple[Fingerprint, float]]]] = []
        for position, fingerprints in self._fingerprints.get(kind_path, {}).items():
            dialect = self._dialects[position]
            numbers = frozenset([self._numbers[fingerprint] for fingerprint in fingerprints])
            own.append((position, fingerprints, numbers))
            if _has_one_form(dialect, kind_path, fingerprints):
                rates = [(fingerprint, self._rates.rate_of(dialect, fingerprint)) for fingerprint in fingerprints]
                single.append((position, rates))
        # Nearly all dialects have a known form of ids; of the few whose errors are known, most have no form of them.
        is_error = kind_path[0] == "error"
        claiming = self._known_by_errors if is_error else [self._dialects[position] for position, _, _ in own]
        return _Forms(own, self._rates.count_families(claiming), single)


def _has_one_form(dialect: Dialect, kind_path: KindPath, fingerprints: Iterable[Fingerprint]) -> bool:
    """Return whether another form of a value is evidence against a dialect with fingerprints at a path.

    A server can run any model, a gateway passes on what the server behind it sends, and what an error says depends on
    what went wrong.
    """
    kind, path = kind_path
    is_any_model = path == "model" and dialect.kind == "server"
    return kind != "error" and not is_any_model and not any(fingerprint.passed_on for fingerprint in fingerprints)


def _has_facts_about_errors(dialect: Dialect) -> bool:
    return any("error" in fact.kinds for fact in dialect.deviations if fact.decides) or any(
        "error" in fingerprint.kinds for fingerprint in dialect.fingerprints if fingerprint.decides
    )
