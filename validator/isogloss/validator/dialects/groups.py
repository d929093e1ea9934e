"""Group observations that are about the same object or path, and what was missed, and sum their weights."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import filterfalse

from msgspec import Struct

from isogloss.validator.dialects.expected_facts import ExpectedFact
from isogloss.validator.dialects.weights import MOST_OF_COMMON_DEVIATION, Weighed

__all__ = ["FLOOR", "REST", "EvidenceGroup", "group_evidence", "is_shown_by_several", "strongest_and_rest", "total"]

REST = 0.3
FLOOR = -5.0
ENOUGH = 1.1
"""A little less than the limit of a common form. What weighs less is what most servers show."""
TOGETHER = 4.3
"""A little more than the weight of an uncounted mark and of an id of a common form, which makes two observations."""


class EvidenceGroup(Struct, frozen=True):
    """The observations about the same object or path, or all facts that were expected and missed."""

    found: tuple[Weighed, ...] = ()
    missed: tuple[ExpectedFact, ...] = ()


def group_evidence(
    weighed: Iterable[Weighed], expected: Iterable[ExpectedFact], not_missed: Container[ExpectedFact]
) -> list[EvidenceGroup]:
    """Return the groups of what was found, in the order of their names, and behind them what was missed.

    All that was expected, except what is ``not_missed``, is one group: one setting, or one version, leaves out several
    things.
    """
    found: dict[str, list[Weighed]] = defaultdict(list)
    for observation in weighed:
        found[observation.group].append(observation)
    groups = [EvidenceGroup(found=tuple(found[name])) for name in sorted(found)]
    missed = tuple(filterfalse(not_missed.__contains__, expected))
    return [*groups, EvidenceGroup(missed=missed)] if missed else groups


def is_shown_by_several(position: int, groups: Iterable[Sequence[Weighed]]) -> bool:
    """Return whether there is enough evidence for a dialect in several groups of observations.

    It must include an observation that weighs more than a deviation that unknown speakers have, too.
    """
    columns = [[observation.weights[position] for observation in group] for group in groups]
    if not any(weight > MOST_OF_COMMON_DEVIATION for column in columns for weight in column):
        return False
    weights_for = [strongest_and_rest(column)[0] for column in columns]
    return sum(one for one in weights_for if one >= ENOUGH) >= TOGETHER


def strongest_and_rest(weights: Sequence[float]) -> tuple[float, float]:
    """Return the sums of the weights for a dialect and against it: the strongest of each, and `REST` of the others."""
    weights_for = [weight for weight in weights if weight > 0]
    weights_against = [-weight for weight in weights if weight < 0]
    return _sum_discounted(weights_for), _sum_discounted(weights_against)


def total(weights_for: float, weights_against: float) -> float:
    """Sum the weights for and against a dialect; those against it count down to `FLOOR` at most."""
    return weights_for - min(weights_against, -FLOOR)


def _sum_discounted(weights: Sequence[float]) -> float:
    if len(weights) < 2:
        return weights[0] if weights else 0.0
    strongest = max(weights)
    return strongest + REST * (math.fsum(weights) - strongest)
