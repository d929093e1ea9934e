"""Compute rates among answers, and decide whether two rates differ by more than chance."""

from __future__ import annotations

from math import exp, lgamma
from typing import NamedTuple

__all__ = ["Rate", "differ_significantly", "how_often"]

_SIGNIFICANCE = 0.01
"""Two rates differ if samples of one and the same rate would differ at least as much with a probability below this."""


class Rate(NamedTuple):
    """A rate: ``seen`` answers of ``of`` answers."""

    seen: int
    of: int

    def __str__(self) -> str:
        return f"{self.seen} of {self.of}"

    @property
    def share(self) -> float:
        """The share of the answers that have it. ``of`` must be 1 or more."""
        return self.seen / self.of


def differ_significantly(before: Rate, after: Rate) -> bool:
    """Return whether two rates differ by more than chance, by Fisher's exact test."""
    whole, hits = before.of + after.of, before.seen + after.seen
    least, most = max(0, hits - after.of), min(hits, before.of)

    def log_chance(count: int) -> float:
        return _log_binomial(before.of, count) + _log_binomial(after.of, hits - count) - _log_binomial(whole, hits)

    observed = log_chance(before.seen) + 1e-9
    return sum(exp(one) for count in range(least, most + 1) if (one := log_chance(count)) <= observed) < _SIGNIFICANCE


def how_often(before: Rate, after: Rate) -> str:
    """Return whether the second of two rates that differ is ``more often`` or ``less often``."""
    return "more often" if after.share > before.share else "less often"


def _log_binomial(total: int, count: int) -> float:
    return lgamma(total + 1) - lgamma(count + 1) - lgamma(total - count + 1)
