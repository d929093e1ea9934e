"""Count what a corpus exercises of the reference: properties, values of enumerations, and rules.

All counts are numbers of exchanges. An exchange exercises a property if it holds the property with a value other than
null. It exercises a rule if it holds the subject of the rule, so that the rule could have found something
(:mod:`isogloss.validator.examining.subjects`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from isogloss.cli.checking.rates import RuleRates
from isogloss.cli.checking.reference import PropertyNode, tree
from isogloss.validator import rules
from isogloss.validator.dialects.payloads import payloads_of
from isogloss.validator.examining.subjects import needed_subjects, printable_names
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.judging.judge import Verdict
from isogloss.validator.kinds import KINDS

__all__ = ["Coverage", "ExercisedCount", "Property", "RuleCovered"]

_Key = PropertyNode | tuple[PropertyNode, str | bool]


class Property(NamedTuple):
    """A property of the reference, with the number of exchanges that hold it, and that hold each of its values."""

    node: PropertyNode
    exchanges: int
    values: dict[str, int]

    @property
    def never(self) -> list[str]:
        """The values that no exchange has."""
        return [value for value, count in self.values.items() if not count]


class RuleCovered(NamedTuple):
    """A rule: in how many exchanges it could have found something, in how many it did, and which subjects it needs."""

    rule: str
    exchanges: int
    found: int
    needs: tuple[str, ...]


class ExercisedCount(NamedTuple):
    """How many things of one sort are exercised, and how many there are."""

    exercised: int
    of: int


@dataclass
class Coverage:
    """What the exchanges of a corpus exercise. ``kinds`` counts the exchanges that have a payload of a kind."""

    exchanges: int = 0
    files: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    seen: Counter[_Key] = field(default_factory=Counter)
    rates: RuleRates = field(default_factory=RuleRates)

    def add(self, exchange: Exchange, verdict: Verdict) -> None:
        """Count what an exchange exercises, and what was found in it."""
        self.exchanges += 1
        self.checked[exchange.file] += 1
        self.rates.add(verdict)
        seen: set[_Key] = set()
        kinds = set()
        for kind, value in payloads_of(exchange, all_chunks=True):
            kinds.add(kind)
            _add_seen(tree(kind), value, seen)
        self.kinds.update(kinds)
        self.seen.update(seen)

    def property_of(self, node: PropertyNode) -> Property:
        """Return the counts of one property."""
        values = {_value_name(value): self.seen[owner, value] for owner, value in node.choices}
        return Property(node, self.seen[node], values)

    def properties(self, kind: str) -> list[Property]:
        """Return the properties of a kind of payload, in the order of the schema."""
        return [self.property_of(node) for node in tree(kind).below()]

    @cached_property
    def rules(self) -> list[RuleCovered]:
        """All rules except those about dialects and about twins, each with its counts.

        Rules that could have found something in the fewest exchanges come first.
        """
        covered = []
        for name in rules.names():
            if rules.group_of(name) not in ("dialect", "twins"):
                rate = self.rates.rate_of(name)
                covered.append(RuleCovered(name, rate.of, rate.exchanges, printable_names(needed_subjects(name))))
        return sorted(covered, key=lambda rule: rule.exchanges)

    def tallies(self) -> Iterator[tuple[str, ExercisedCount]]:
        """Yield how many request options, properties of each kind, values and rules are exercised, with names."""
        options = [self.seen[node] for node in tree("request").inner.values()]
        yield "request options", _tally(options)
        properties_by_kind = {kind: self.properties(kind) for kind in KINDS}
        for kind, properties in properties_by_kind.items():
            yield f"{kind} properties", _tally(covered.exchanges for covered in properties)
        yield (
            "values",
            _tally(
                count
                for properties in properties_by_kind.values()
                for covered in properties
                for count in covered.values.values()
            ),
        )
        yield "rules", _tally(rule.exchanges for rule in self.rules)


def _tally(counts: Iterator[int] | list[int]) -> ExercisedCount:
    exercised = [bool(count) for count in counts]
    return ExercisedCount(sum(exercised), len(exercised))


def _value_name(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _add_seen(node: PropertyNode, value: object, seen: set[_Key]) -> None:
    """Add the properties and values of a value to ``seen``. What lies deeper than the schema is left out."""
    if isinstance(value, dict):
        for name, child in node.children.items():
            inner = value.get(name)
            if inner is not None:
                seen.add(child)
                _add_seen(child, inner, seen)
    elif isinstance(value, list):
        if node.items is not None:
            for item in value:
                _add_seen(node.items, item, seen)
    elif isinstance(value, str | bool) and value in node.values:
        seen.add((node, value))
