"""Weigh each observation for and against each dialect, in nats, in comparison with an unknown speaker.

A weight is positive if a dialect makes an observation likelier than the background does, and negative if it makes it
less likely. The docstring of :mod:`~isogloss.validator.dialects.attribution` says how weights add up.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from isogloss.validator import rules
from isogloss.validator.dialects.claims import Claims
from isogloss.validator.dialects.common_forms import is_common, is_empty, is_name_from_elsewhere, is_null, names_speaker
from isogloss.validator.dialects.expected_facts import ExpectedFact, ExpectedFacts
from isogloss.validator.dialects.explanations import ABSENCES, Facts
from isogloss.validator.dialects.model import Behaviour, Dialect, Fact, Fingerprint
from isogloss.validator.dialects.payload_features import KindPath, PayloadFeatures
from isogloss.validator.dialects.rates import FactRates, exchanges_known

__all__ = ["MOST_OF_COMMON_DEVIATION", "Observation", "Weighed", "Weights"]

MOST_OF_UNCOUNTED = 2.5
"""The highest weight of facts that nobody counted in recordings. The constants below with `MOST` in their names are
upper limits, too."""
COUNTED = 3
"""A fact is counted if it was seen in so many exchanges: what was seen once or twice may be an exception."""
SHARED = 4
"""What so many families show, unknown speakers show, too. If nobody counted it, it weighs no more than a common
deviation."""
MOST_OF_MODEL = 2.0
"""For the form of `model`: clients choose the model, and gateways pass it on."""
MOST_OF_COMMON_DEVIATION = 1.5
"""For something missing, a null in place of a value, also where the reference allows it, a value of a wrong type, and a
broken rule: unknown speakers have such deviations, too."""
MOST_OF_EMPTY = 2.0
"""For an empty string in place of a value."""
MOST_OF_COMMON_FORM = 1.2
MOST_OUT_OF_TIME = 0.5
"""For a fact that a dialect was seen to show only at another time."""
MOST_OF_PASSED_ON = 0.5
"""For a fact that the server behind a gateway shows as well."""
LEAST = -3.0
"""The lowest weight of a fact that a dialect is known for, but shows less often than unknown speakers do."""
SURPRISE = 0.004
"""The lowest chance that a dialect shows something it is not known for."""
SURPRISE_OF_GATEWAY = 0.05
"""The same for a gateway. It is higher, since gateways pass on the answers of servers behind them."""
LEAST_BACKGROUND = 0.4
"""The lowest background rate for an unexplained finding, even if no dialect is known for the finding."""
USUAL = 0.9
"""A gateway usually passes on a fact if it was seen to do so at this rate."""
MARK = 8.0
"""An observation is a mark of a dialect if the dialect makes it this many times likelier than the background does."""

_MOST_REMEMBERED = 4096
_FRAGMENTS = "fragments of calls"
"""The group of rules about the fragments of calls: how a server writes what they repeat or leave out has one cause."""
_EMPTY = "empty strings"
"""The group of empty strings in place of values: a server that writes one for a value that it does not have does so
everywhere."""
_COMMON_DEVIATIONS = ABSENCES | {"null-value"}


class Observation(NamedTuple):
    """Findings of a rule at a path of a kind of payload, and the facts that explain them."""

    rule: str
    kind: str
    path: str
    facts: Facts


class Weighed(Struct, frozen=True, eq=False):
    """An observation and its weight for each dialect.

    ``what`` is its name, and ``group`` is the group of observations that it belongs to. ``relations`` and ``weights``
    hold, for each dialect, how the observation relates to the dialect (such as ``known``) and its weight. ``marks``
    holds the positions of the dialects that it is a mark of, and ``certain`` those of which it is a certain one.
    ``own`` holds the positions of the dialects that it distinguishes from their parents. ``usual`` holds the positions
    of the gateways that pass it on in nearly all of their answers, so that it does not tell which dialect is behind
    them. ``not_missed`` holds the expected facts that are not missed beside it: it shows them, or it is another form of
    their value that the dialect is known for at that time.
    """

    what: str
    group: str
    relations: tuple[str, ...]
    weights: tuple[float, ...]
    marks: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    usual: tuple[int, ...] = ()
    not_missed: frozenset[ExpectedFact] = frozenset()
    certain: tuple[int, ...] = ()


class Weights:
    """The weights of observations for some dialects, in the order of these dialects.

    ``claims`` are those of the dialects on forms of values, and ``expected`` are the facts that they were expected to
    show.
    """

    def __init__(self, dialects: Sequence[Dialect], features: PayloadFeatures) -> None:
        self._dialects = dialects
        self._positions = {one.slug: position for position, one in enumerate(dialects)}
        self._numbers = features.numbers
        self._rates = FactRates(dialects)
        self.claims = Claims(dialects, features, self._rates)
        self.expected = ExpectedFacts(dialects, self._rates)
        self._surprises = [_surprise(one) for one in dialects]
        self._unset = ("",) * len(dialects), (0.0,) * len(dialects)
        self._unexplained = ("unexplained",) * len(dialects), self._weigh_unexplained(LEAST_BACKGROUND)

    def era_of_observation(self, observation: Observation, when: float | None) -> float | None:
        """Return a moment at which the observation has the same weight as at the given one.

        It is ``None`` for all moments at which each of its facts holds. So weights are computed for few moments.
        """
        if when is None:
            return None
        since, until = _common_time(observation.facts)
        return None if since <= when < until else when

    def observation(self, observation: Observation, when: float | None = None) -> Weighed:
        """Weigh an observation for each dialect. ``when`` is its moment, or ``None`` if that is not known."""
        rule, kind, path, facts = observation
        background = self._rates.background(facts)
        relations, weights = self._unset
        if rules.group_of(rule) == "schema":
            relations, weights = self._unexplained
            if background > LEAST_BACKGROUND:
                weights = self._weigh_unexplained(background)
        if "unusual fragments" in rules.rule(rule).needs:
            group = _FRAGMENTS
        elif any(is_empty(fact) for _, fact in facts):
            group = _EMPTY
        else:
            group = _group_of_object(path) if rule in ABSENCES else self._group(path)
        if rule in _COMMON_DEVIATIONS or rules.group_of(rule) != "schema":
            common = {fact for _, fact in facts}
        else:
            common = {fact for _, fact in facts if fact.by_type} if rule == "wrong-type" else set()
        known = [(self._positions[dialect.slug], fact) for dialect, fact in facts]
        what = f"{rule} at {kind} {path}".rstrip()
        return self._weigh(Weighed(what, group, relations, weights), known, background, when, common)

    def form(self, kind_path: KindPath, satisfied: frozenset[int], when: float | None = None) -> Weighed:
        """Weigh for each dialect that the values at a path satisfy these fingerprints and no others."""
        kind, at = kind_path
        claims = self.claims.at(kind_path, when)
        satisfied_by_position = {
            position: [one for one in fingerprints if self._numbers[one] in satisfied]
            for position, fingerprints, numbers in claims.own
            if not numbers.isdisjoint(satisfied)
        }
        satisfied_by_dialect = {self._dialects[one]: facts for one, facts in satisfied_by_position.items()}
        satisfied_facts = [(dialect, one) for dialect, facts in satisfied_by_dialect.items() for one in facts]
        relations, weights = claims.relations, claims.weights
        if any(names_speaker(dialect, one) for dialect, one in satisfied_facts):
            background = self._rates.background(satisfied_facts)
            relations, weights = self.claims.with_name_of_another(claims)
        else:
            background = self._rates.background_of_form(satisfied_by_dialect, claims.families)
        known: list[tuple[int, Fact]] = []
        for position, facts in satisfied_by_position.items():
            dialect = self._dialects[position]
            best = max(facts, key=lambda one: (one.holds(when), self._rates.rate_of(dialect, one, background)))
            known.append((position, best))
        what = f"form of {kind} {at}"
        group = _EMPTY if any(is_empty(fact) for _, fact in satisfied_facts) else self._group(at)
        return self._weigh(Weighed(what, group, relations, weights), known, background, when)

    def _weigh_unexplained(self, background: float) -> tuple[float, ...]:
        """Compute for each dialect the weight of a finding that it does not explain.

        ``background`` is the rate at which any speaker has the finding.
        """
        return tuple([math.log(chance / background) for chance in self._surprises])

    def _weigh(
        self,
        unknown: Weighed,
        known: Sequence[tuple[int, Fact]],
        background: float,
        when: float | None,
        common: Collection[Fact] = (),
    ) -> Weighed:
        """Weigh an observation that counts for each dialect as one that is unknown in it, except where it is known.

        ``known`` holds the positions of the dialects that explain it, each with its fact. ``common`` holds the facts
        that make the observation a common deviation.
        """
        if not known:
            return unknown
        relations, weights = list(unknown.relations), list(unknown.weights)
        is_shared = self._rates.count_families(self._dialects[position] for position, _ in known) >= SHARED
        marks, own, usual, certain = list[int](), list[int](), list[int](), list[int]()
        for position, fact in known:
            dialect, passed_on, holds = self._dialects[position], fact.passed_on, fact.holds(when)
            rate = self._rates.rate_of(dialect, fact, background)
            likelier = rate / background
            highest = _highest_weight(dialect, fact, fact in common, is_shared) if holds else MOST_OUT_OF_TIME
            least = 0.0 if passed_on else LEAST  # what stands behind shows it, and so is nothing against the gateway
            is_strong = highest >= MOST_OF_UNCOUNTED
            relations[position] = "passed on" if passed_on else "known"
            weights[position] = max(least, min(math.log(likelier), highest))
            if is_strong and likelier >= MARK:
                marks.append(position)
                if highest == math.inf:
                    certain.append(position)
            if not fact.inherited and (is_strong or isinstance(fact, Behaviour)):
                own.append(position)
            if passed_on and rate >= USUAL:
                usual.append(position)
        return Weighed(
            what=unknown.what,
            group=unknown.group,
            relations=tuple(relations),
            weights=tuple(weights),
            marks=tuple(marks),
            own=tuple(own),
            usual=tuple(usual),
            not_missed=self.expected.not_missed(known, when),
            certain=tuple(certain),
        )

    def _group(self, at: str) -> str:
        """Return the group of a path. Observations in one group are about the same, so each adds little to the others.

        There is a group for the properties of each object, where a delta counts as a message. All of ``usage`` is one
        group. Each path with fingerprints is a group of its own.
        """
        at = at.replace("delta", "message")
        return at if at in self.claims.paths and not at.startswith("usage") else _group_of_object(at)


@lru_cache(_MOST_REMEMBERED)
def _common_time(facts: Facts) -> tuple[float, float]:
    """Return the beginning and the end of the time in which all of the facts hold."""
    since = max((fact.since for _, fact in facts if fact.since is not None), default=-math.inf)
    return since, min((fact.until for _, fact in facts if fact.until is not None), default=math.inf)


def _group_of_object(at: str) -> str:
    """Return the group of the object that has, or lacks, the property at a path.

    A missing property is in this group even if its path has fingerprints: a short answer leaves out many properties of
    an object for one reason.
    """
    return "usage" if at.startswith("usage") else at.replace("delta", "message").rpartition(".")[0]


def _highest_weight(dialect: Dialect, fact: Fact, is_common_deviation: bool, is_shared: bool) -> float:
    """Return the highest weight that a fact of a dialect can have for it: infinity if there is no limit."""
    if fact.passed_on:
        return MOST_OF_PASSED_ON
    if is_empty(fact):
        return MOST_OF_EMPTY
    if is_common_deviation or (isinstance(fact, Fingerprint) and is_null(fact)):
        return MOST_OF_COMMON_DEVIATION
    if fact.seen is None and is_name_from_elsewhere(fact):
        return MOST_OF_COMMON_FORM
    if isinstance(fact, Fingerprint) or fact.at in ("id", "object"):
        if is_common(fact):
            return MOST_OF_COMMON_FORM
        if fact.at == "model" and not names_speaker(dialect, fact):
            return MOST_OF_MODEL
    if names_speaker(dialect, fact) or (fact.seen is not None and fact.seen[0] >= COUNTED):
        return math.inf
    return MOST_OF_COMMON_DEVIATION if is_shared else MOST_OF_UNCOUNTED


def _surprise(dialect: Dialect) -> float:
    """Return the chance that a dialect shows something it is not known for: smaller if it is better known."""
    chance = max(SURPRISE, 1 / (exchanges_known(dialect) + 4))
    return max(chance, SURPRISE_OF_GATEWAY) if dialect.kind == "gateway" else chance
