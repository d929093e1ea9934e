"""How often something is so among some answers, and whether two such rates differ by more than chance."""

from __future__ import annotations

from math import exp, lgamma
from typing import NamedTuple

__all__ = ["Rate", "differ"]

_UNLIKELY = 0.01
"""Probability of a difference at least as large between samples of one rate, below which rates differ."""


class Rate(NamedTuple):
    """``seen`` of ``of`` answers."""

    seen: int
    of: int

    def __str__(self) -> str:
        return f"{self.seen} of {self.of}"

    @property
    def share(self) -> float:
        """The share of the answers; 0 where there are none."""
        return self.seen / self.of if self.of else 0.0


def differ(before: Rate, after: Rate) -> bool:
    """Whether two rates differ by more than chance, by Fisher's exact test."""
    whole, hits = before.of + after.of, before.seen + after.seen
    least, most = max(0, hits - after.of), min(hits, before.of)

    def log_chance(count: int) -> float:
        return _log_choose(before.of, count) + _log_choose(after.of, hits - count) - _log_choose(whole, hits)

    observed = log_chance(before.seen) + 1e-9
    return sum(exp(one) for count in range(least, most + 1) if (one := log_chance(count)) <= observed) < _UNLIKELY


def _log_choose(of: int, count: int) -> float:
    return lgamma(of + 1) - lgamma(count + 1) - lgamma(of - count + 1)
