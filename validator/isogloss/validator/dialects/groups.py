"""Group observations that are about the same object or path, and sum their weights."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from isogloss.validator.dialects.model import Deviation, Fact
from isogloss.validator.dialects.weights import ExpectedFact, Weighed

__all__ = ["FLOOR", "REST", "EvidenceGroup", "ExpectedFacts", "group_evidence", "strongest_and_rest", "total"]

REST = 0.3
FLOOR = -5.0


class EvidenceGroup(NamedTuple):
    """The observations about the same object or path, and the facts that were expected there and missed."""

    found: tuple[Weighed, ...]
    missed: tuple[ExpectedFact, ...]


class ExpectedFacts(NamedTuple):
    """The facts that could have shown: all of them, those of each group, and those about the value at each path."""

    all: Sequence[ExpectedFact]
    by_group: Mapping[str, Sequence[ExpectedFact]]
    by_path: Mapping[str, Sequence[ExpectedFact]]

    @classmethod
    def group_facts(cls, expected: Sequence[ExpectedFact]) -> ExpectedFacts:
        """Group the facts that could have shown."""
        by_group: dict[str, list[ExpectedFact]] = defaultdict(list)
        by_path: dict[str, list[ExpectedFact]] = defaultdict(list)
        for one in expected:
            by_group[one.group].append(one)
            if isinstance(one.fact, Deviation) and not one.fact.absent:
                by_path[one.fact.at].append(one)
        return cls(expected, by_group, by_path)


def group_evidence(
    weighed: Iterable[Weighed], expected: Mapping[str, Sequence[ExpectedFact]], known: Collection[Fact]
) -> list[EvidenceGroup]:
    """Return the groups in the order of their names: what was found, and what was expected and is not ``known``."""
    found: dict[str, list[Weighed]] = defaultdict(list)
    for one in weighed:
        found[one.group].append(one)
    return [
        EvidenceGroup(
            tuple(found.get(name, ())), tuple([one for one in expected.get(name, ()) if one.fact not in known])
        )
        for name in sorted(found.keys() | expected.keys())
    ]


def strongest_and_rest(weights: Sequence[float]) -> tuple[float, float]:
    """Return the sums of the weights for a dialect and against it: the strongest of each, and `REST` of the others."""
    return _sum_discounted([one for one in weights if one > 0]), _sum_discounted([-one for one in weights if one < 0])


def total(weights_for: float, weights_against: float) -> float:
    """Sum the weights for and against a dialect; those against it count down to `FLOOR` at most."""
    return weights_for - min(weights_against, -FLOOR)


def _sum_discounted(weights: Sequence[float]) -> float:
    if len(weights) < 2:
        return weights[0] if weights else 0.0
    strongest = max(weights)
    return strongest + REST * (math.fsum(weights) - strongest)
