"""Observations that are about the same, and what they say together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from isogloss.validator.dialects.weights import Expected, Weighed

__all__ = ["FLOOR", "REST", "Group", "grouped", "strongest_and_rest", "total"]

REST = 0.3
FLOOR = -5.0


class Group(NamedTuple):
    """What was found and what was missed about the same object, or at the same place."""

    found: tuple[Weighed, ...]
    missed: tuple[Expected, ...]


def grouped(weighed: Iterable[Weighed], missed: Iterable[Expected]) -> list[Group]:
    """The groups, in the order of their names."""
    groups: dict[str, tuple[list[Weighed], list[Expected]]] = defaultdict(lambda: ([], []))
    for one in weighed:
        groups[one.group][0].append(one)
    for other in missed:
        groups[other.group][1].append(other)
    return [Group(tuple(found), tuple(not_found)) for _, (found, not_found) in sorted(groups.items())]


def strongest_and_rest(weights: Sequence[float]) -> tuple[float, float]:
    """What weights say for a dialect and against it: the strongest of each, and `REST` of the others."""
    return _strongest([one for one in weights if one > 0]), _strongest([-one for one in weights if one < 0])


def total(said_for: float, said_against: float) -> float:
    """Sum the weights for and against a dialect; those against it count down to `FLOOR`."""
    return said_for - min(said_against, -FLOOR)


def _strongest(weights: Sequence[float]) -> float:
    strongest = max(weights, default=0.0)
    return strongest + REST * (math.fsum(weights) - strongest)
