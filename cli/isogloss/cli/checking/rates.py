"""Count in how many exchanges each rule found something, and in how many it could. Find the rates that are too high."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeVar

import click
from msgspec import Struct

from isogloss.cli.configuration.parameters import Parameter
from isogloss.validator.examining.contents import Contents
from isogloss.validator.examining.subjects import needed_subjects, subjects
from isogloss.validator.judging.judge import Verdict

__all__ = ["Limit", "RuleRate", "RuleRates", "add_counts"]

_Counted = TypeVar("_Counted")
_LIMIT = r"([^=]+)=(\d{1,9}(?:\.\d{1,9})?)%"


class RuleRate(Struct, frozen=True):
    """A rule, in how many exchanges it found something, and in how many it could."""

    rule: str
    exchanges: int
    of: int

    @property
    def percent(self) -> float:
        """The share of the exchanges, in percent; 0 where there are none."""
        return 100 * self.exchanges / self.of if self.of else 0.0

    def __str__(self) -> str:
        noun = "exchange" if self.of == 1 else "exchanges"
        return f"{self.exchanges:,} of {self.of:,} {noun}" + (f", {self.percent:.3g} %" if self.of > 1 else "")


def add_counts(counts: dict[_Counted, int], added: Mapping[_Counted, int]) -> None:
    """Add counts to others. Adding to a ``dict`` takes half of the time that adding to a ``Counter`` takes."""
    for counted, count in added.items():
        counts[counted] = counts.get(counted, 0) + count


class RuleRates:
    """How often rules found something, and could have found something, in the exchanges of a run.

    The rates do not depend on what is reported: a finding counts also if a dialect or a baseline knows it, or if it is
    less severe than what is reported. :mod:`isogloss.validator.examining.subjects` says in which exchanges a rule could
    find something. A rule that was not active could not. ``seen`` counts the exchanges by their contents.
    """

    __slots__ = ("found", "seen")

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self.seen: dict[Contents, int] = {}

    def add(self, verdict: Verdict) -> None:
        """Count an exchange for the rules that found something in it, and for those that could have."""
        contents = verdict.examined.contents
        self.seen[contents] = self.seen.get(contents, 0) + 1
        if verdict.unplaced:
            for rule in {finding.rule for finding in verdict.unplaced}:
                self.found[rule] = self.found.get(rule, 0) + 1

    def merge(self, other: RuleRates) -> None:
        """Add the counts of other rates."""
        add_counts(self.found, other.found)
        add_counts(self.seen, other.seen)

    def rate_of(self, rule: str) -> RuleRate:
        """Return the rate of one rule."""
        return self._rates([rule])[0]

    def all(self) -> list[RuleRate]:
        """Return the rates of the rules that found something, sorted by name."""
        return self._rates(sorted(self.found))

    def _rates(self, names: Iterable[str]) -> list[RuleRate]:
        """Return the rates of some rules. Exchanges with the same subjects are looked at together, and so are rules."""
        seen: dict[tuple[frozenset[str] | None, frozenset[str]], int] = {}
        for contents, count in self.seen.items():
            key = contents.active, subjects(contents)
            seen[key] = seen.get(key, 0) + count
        by_active: dict[frozenset[str] | None, list[tuple[frozenset[str], int]]] = {}
        for (active, present), count in seen.items():
            by_active.setdefault(active, []).append((present, count))

        @cache
        def count_with(needed: frozenset[str], active: frozenset[str] | None) -> int:
            return sum([count for present, count in by_active[active] if needed <= present])

        return [
            RuleRate(
                rule,
                self.found.get(rule, 0),
                sum(count_with(needed_subjects(rule), one) for one in by_active if one is None or rule in one),
            )
            for rule in names
        ]

    def above(self, limits: Mapping[str, float]) -> list[tuple[RuleRate, float]]:
        """Return each rate that is above its limit, together with the limit in percent."""
        rates = zip(self._rates(limits), limits.values(), strict=True)
        return [(rate, limit) for rate, limit in rates if rate.percent > limit]


class Limit(Parameter):
    """A rule and the percentage of exchanges in which it may find something, ``arguments-off-schema=2%``."""

    name = "rule=percent"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """Return the rule and the percentage. Fail with an error of the command line if the value is anything else."""
        match = re.fullmatch(_LIMIT, value)
        if match is None:
            self.fail(f"{value!r} is not a rule and a percentage, like arguments-off-schema=2%", param, ctx)
        if float(match[2]) > 100:
            self.fail(f"{value!r} is more than 100%", param, ctx)
        return match[1], float(match[2])
