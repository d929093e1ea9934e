"""Weigh each observation for and against each dialect, in nats, in comparison with an unknown speaker.

A weight is positive if a dialect makes an observation likelier than the background does, and negative if it makes it
less likely. The docstring of :mod:`~isogloss.validator.dialects.attribution` says how weights add up.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.validator import rules
from isogloss.validator.dialects.common_forms import is_common, is_empty, names_speaker
from isogloss.validator.dialects.explanations import Facts
from isogloss.validator.dialects.model import Behaviour, Deviation, Dialect, Fact, Fingerprint
from isogloss.validator.dialects.payload_features import KindPath, PayloadFeatures, containers
from isogloss.validator.dialects.rates import FactRates, recordings

__all__ = ["MOST_OF_FAULT", "ExpectedFact", "Observation", "Weighed", "Weights"]

MOST_OF_DOCUMENTATION = 2.5
"""The highest weight of facts that nobody counted and that were not read from source code. The constants below with
`MOST` in their names are upper limits, too."""
MOST_OF_MODEL = 2.0
"""For the form of `model`: clients choose the model, and gateways pass it on."""
MOST_OF_FAULT = 1.5
"""For something missing, a null in place of a value, a value of a wrong type, and a broken rule: unknown speakers make
such faults, too."""
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
LEAST_OTHER_FORM = 0.1
LEAST_MISSED = 0.2
"""The lowest chance that a dialect does not show something it always showed: servers change."""
MISSED_BACKGROUND = 0.9
USUAL = 0.9
"""A gateway usually passes on a fact if it was seen to do so at this rate."""
EXPECTED = 0.5
"""A fact is missed where its rate is above this."""
MARK = 8.0
"""An observation is a mark of a dialect if the dialect makes it this many times likelier than the background does."""

_MOST_REMEMBERED = 4096
_FRAGMENTS = "fragments of calls"
"""The group of rules about the fragments of calls: how a server writes what they repeat or leave out has one cause."""
_ABSENCES = frozenset({"missing-property", "documented-property-absent"})
_FAULTS = _ABSENCES | {"null-value"}


class Observation(NamedTuple):
    """Findings of a rule at a path of a kind of payload, and the facts that explain them."""

    rule: str
    kind: str
    path: str
    facts: Facts


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """An observation and its weight for each dialect.

    ``what`` is its name, and ``group`` is the group of observations that it belongs to. ``hows`` and ``weights`` hold,
    for each dialect, how the observation relates to the dialect (such as ``known``) and its weight. ``marks`` holds the
    positions of the dialects that it is a mark of. ``own`` holds the positions of the dialects that it distinguishes
    from their parents. ``usual`` holds the positions of the gateways that pass it on in nearly all of their answers, so
    that it does not tell which dialect is behind them. ``current`` holds the positions of the dialects that have this
    form of a value at that time.
    """

    what: str
    group: str
    hows: tuple[str, ...]
    weights: tuple[float, ...]
    marks: tuple[int, ...]
    own: tuple[int, ...]
    usual: tuple[int, ...] = ()
    current: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedFact:
    """A fact that a dialect shows more often than not, and its weight if the dialect does not show it."""

    position: int
    fact: Deviation | Behaviour
    what: str
    group: str
    weight: float


class Weights:
    """The weights of observations for some dialects, in the order of these dialects."""

    def __init__(self, dialects: Sequence[Dialect], features: PayloadFeatures) -> None:
        self._dialects = dialects
        self._positions = {one.slug: position for position, one in enumerate(dialects)}
        self._numbers = features.numbers
        self._rates = FactRates(dialects)
        self._fingerprint_paths = {
            at.replace("delta", "message")
            for one in dialects
            for at in [fingerprint.at for fingerprint in one.fingerprints if fingerprint.decides]
        }
        self._surprises = [_surprise(one) for one in dialects]
        number = len(dialects)
        self._unset = ("",) * number, (0.0,) * number
        self._unexplained = ("unexplained",) * number, self._weigh_unexplained(LEAST_BACKGROUND)
        self._claims: dict[tuple[KindPath, float | None], _Claims] = {}
        self._observations: dict[tuple[Observation, float | None], Weighed] = {}
        self._forms: dict[tuple[KindPath, frozenset[int], float | None], Weighed] = {}
        self._expected: dict[KindPath, list[ExpectedFact]] = defaultdict(list)
        self._expected_at_time: dict[tuple[KindPath, float | None], dict[Fact, ExpectedFact]] = {}
        self._fingerprints: dict[KindPath, dict[int, list[Fingerprint]]] = {}
        self._known_by_errors = [one for one in dialects if _has_facts_about_errors(one)]
        for position, dialect in enumerate(dialects):
            for fingerprint in dialect.fingerprints:
                for kind in fingerprint.kinds if fingerprint.decides else ():
                    by_position = self._fingerprints.setdefault((kind, fingerprint.at), {})
                    by_position.setdefault(position, []).append(fingerprint)
            claims: tuple[Deviation | Behaviour, ...] = (*dialect.deviations, *dialect.behaviours)
            for fact in claims:
                self._add_expected(position, dialect, fact)

    def observation(self, observation: Observation, when: float | None = None) -> Weighed:
        """Weigh an observation for each dialect. ``when`` is its moment, or ``None`` if that is not known."""
        weighed = self._observations.get((observation, when))
        if weighed is None:
            if len(self._observations) > _MOST_REMEMBERED:
                self._observations.clear()
            weighed = self._observations[observation, when] = self._weigh_observation(observation, when)
        return weighed

    def form(self, kind_path: KindPath, satisfied: frozenset[int], when: float | None = None) -> Weighed:
        """Weigh for each dialect that the values at a path satisfy these fingerprints and no others."""
        weighed = self._forms.get((kind_path, satisfied, when))
        if weighed is None:
            if len(self._forms) > _MOST_REMEMBERED:
                self._forms.clear()
            weighed = self._forms[kind_path, satisfied, when] = self._weigh_form(kind_path, satisfied, when)
        return weighed

    def expected(self, present: Iterable[KindPath], when: float | None) -> list[ExpectedFact]:
        """Return the facts that were expected to show at a moment, given the paths that exist; each fact once."""
        expected: dict[Fact, ExpectedFact] = {}
        for kind_path in sorted(present):
            expected.update(self._expected_at(kind_path, when))
        return list(expected.values())

    def _expected_at(self, kind_path: KindPath, when: float | None) -> dict[Fact, ExpectedFact]:
        expected = self._expected_at_time.get((kind_path, when))
        if expected is None:
            if len(self._expected_at_time) > _MOST_REMEMBERED:
                self._expected_at_time.clear()
            expected = {one.fact: one for one in self._expected.get(kind_path, ()) if one.fact.holds(when)}
            self._expected_at_time[kind_path, when] = expected
        return expected

    def _weigh_observation(self, observation: Observation, when: float | None) -> Weighed:
        rule, kind, path, facts = observation
        background = self._rates.background(facts)
        hows, weights = self._unset
        if rules.group_of(rule) == "schema":
            hows, weights = self._unexplained
            if background > LEAST_BACKGROUND:
                weights = self._weigh_unexplained(background)
        if "unusual fragments" in rules.rule(rule).needs:
            group = _FRAGMENTS
        else:
            group = _group_of_object(path) if rule in _ABSENCES else self._group(path)
        builder = _WeighedBuilder(f"{rule} at {kind} {path}".rstrip(), group, hows, weights)
        for dialect, fact in facts:
            is_fault = rule in _FAULTS or (rule == "wrong-type" and fact.by_type)
            self._set_known(builder, self._positions[dialect.slug], fact, background, is_fault, when)
        return builder.weighed()

    def _weigh_unexplained(self, background: float) -> tuple[float, ...]:
        """Compute for each dialect the weight of a finding that it does not explain.

        ``background`` is the rate at which any speaker has the finding.
        """
        return tuple([math.log(chance / background) for chance in self._surprises])

    def _weigh_form(self, kind_path: KindPath, satisfied: frozenset[int], when: float | None) -> Weighed:
        kind, at = kind_path
        claims = self._claims_at(kind_path, when)
        satisfied_by_position = {
            position: [one for one in fingerprints if self._numbers[one] in satisfied]
            for position, fingerprints, numbers in claims.own
            if not numbers.isdisjoint(satisfied)
        }
        satisfied_by_dialect = {self._dialects[one]: facts for one, facts in satisfied_by_position.items()}
        known = [(dialect, one) for dialect, facts in satisfied_by_dialect.items() for one in facts]
        if any(names_speaker(dialect, one) for dialect, one in known):
            background = self._rates.background(known)
        else:
            # Nearly all dialects have a known form of ids; of the few whose errors are known, most have no form of them
            claiming = self._known_by_errors if kind == "error" else [self._dialects[one] for one, _, _ in claims.own]
            background = self._rates.background_of_form(satisfied_by_dialect, claiming)
        builder = _WeighedBuilder(f"form of {kind} {at}", self._group(at), claims.hows, claims.weights)
        for position, fingerprints in satisfied_by_position.items():
            dialect = self._dialects[position]
            best = max(fingerprints, key=lambda one: (one.holds(when), self._rates.rate_of(dialect, one, background)))
            if best.holds(when):
                builder.current.append(position)
            self._set_known(builder, position, best, background, False, when)
        return builder.weighed()

    def _set_known(
        self,
        builder: _WeighedBuilder,
        position: int,
        fact: Fact,
        background: float,
        is_fault: bool,
        when: float | None,
    ) -> None:
        """Set the weight of an observation for a dialect that explains it by a fact.

        Also note whether the observation is a mark of the dialect, and whether it distinguishes the dialect from its
        parents.
        """
        dialect = self._dialects[position]
        rate = self._rates.rate_of(dialect, fact, background)
        likelier = rate / background
        highest = _highest_weight(dialect, fact, is_fault) if fact.holds(when) else MOST_OUT_OF_TIME
        weight = math.log(likelier)
        least = 0.0 if fact.passed_on else LEAST  # what stands behind shows it, and so is nothing against the gateway
        weight = least if weight < least else highest if weight > highest else weight
        builder.set(position, "passed on" if fact.passed_on else "known", weight)
        if fact.passed_on and fact.seen is not None and rate >= USUAL:
            builder.usual.append(position)
        is_strong = highest >= MOST_OF_DOCUMENTATION
        if not fact.inherited and (is_strong or isinstance(fact, Behaviour)):
            builder.own.append(position)
        if is_strong and likelier >= MARK:
            builder.marks.append(position)

    def _claims_at(self, kind_path: KindPath, when: float | None) -> _Claims:
        """Return the dialects with fingerprints at a path, and how a value of another form counts for each dialect.

        Only the fingerprints that hold at the moment add to these weights.
        """
        claims = self._claims.get((kind_path, when))
        if claims is None:
            if len(self._claims) > _MOST_REMEMBERED:
                self._claims.clear()
            claims = self._claims[kind_path, when] = _Claims(
                [], [""] * len(self._dialects), [0.0] * len(self._dialects)
            )
            for position, fingerprints in self._fingerprints.get(kind_path, {}).items():
                dialect = self._dialects[position]
                claims.own.append((position, fingerprints, frozenset(self._numbers[one] for one in fingerprints)))
                # A server can run any model, and what an error says depends on what went wrong
                if kind_path[0] != "error" and (kind_path[1] != "model" or dialect.kind != "server"):
                    rate = sum(self._rates.rate_of(dialect, one) for one in fingerprints if one.holds(when))
                    claims.hows[position] = "another's"
                    claims.weights[position] = math.log(max(1 - rate, LEAST_OTHER_FORM))
        return claims

    def _add_expected(self, position: int, dialect: Dialect, fact: Deviation | Behaviour) -> None:
        rate = self._rates.rate_of(dialect, fact) if fact.seen is not None and fact.decides else 0.0
        if rate <= EXPECTED:
            return
        weight = math.log(max(1 - rate, LEAST_MISSED) / MISSED_BACKGROUND)
        for holder in containers(fact):
            self._expected[holder].append(ExpectedFact(position, fact, fact.title, self._group(fact.at), weight))

    def _group(self, at: str) -> str:
        """Return the group of a path. Observations in one group are about the same, so each adds little to the others.

        There is a group for the properties of each object, where a delta counts as a message. All of ``usage`` is one
        group. Each path with fingerprints is a group of its own.
        """
        at = at.replace("delta", "message")
        return at if at in self._fingerprint_paths and not at.startswith("usage") else _group_of_object(at)


def _group_of_object(at: str) -> str:
    """Return the group of the object that has, or lacks, the property at a path.

    A missing property is in this group even if its path has fingerprints: a short answer leaves out many properties of
    an object for one reason.
    """
    return "usage" if at.startswith("usage") else at.replace("delta", "message").rpartition(".")[0]


class _Claims(NamedTuple):
    """The dialects with fingerprints at a path.

    ``own`` holds the position of each of these dialects, its fingerprints there, and their numbers. ``hows`` and
    ``weights`` hold, for each dialect, how a value counts if it satisfies none of the dialect's fingerprints.
    """

    own: list[tuple[int, list[Fingerprint], frozenset[int]]]
    hows: list[str]
    weights: list[float]


class _WeighedBuilder:
    """Collects how an observation counts for each dialect: as given, unless :meth:`set` sets something else.

    All observations for which nothing is set share what was given, since a stream may have very many of them.
    """

    def __init__(self, what: str, group: str, hows: Sequence[str], weights: Sequence[float]) -> None:
        self._what, self._group = what, group
        self._hows, self._weights = hows, weights
        self._set: dict[int, tuple[str, float]] = {}
        self.marks: list[int] = []
        self.own: list[int] = []
        self.usual: list[int] = []
        self.current: list[int] = []

    def set(self, position: int, how: str, weight: float) -> None:
        self._set[position] = (how, weight)

    def weighed(self) -> Weighed:
        hows, weights = self._hows, self._weights
        if self._set:
            hows, weights = list(hows), list(weights)
            for position, (how, weight) in self._set.items():
                hows[position], weights[position] = how, weight
        return Weighed(
            self._what,
            self._group,
            tuple(hows),
            tuple(weights),
            tuple(self.marks),
            tuple(self.own),
            tuple(self.usual),
            tuple(self.current),
        )


def _highest_weight(dialect: Dialect, fact: Fact, is_fault: bool) -> float:
    """Return the highest weight that a fact of a dialect can have for it: infinity if there is no limit."""
    if fact.passed_on:
        return MOST_OF_PASSED_ON
    if is_fault or isinstance(fact, Behaviour) or (isinstance(fact, Deviation) and fact.absent):
        return MOST_OF_FAULT
    if is_empty(fact):
        return MOST_OF_EMPTY
    if isinstance(fact, Fingerprint) or fact.at == "id":
        if is_common(fact):
            return MOST_OF_COMMON_FORM
        if fact.at == "model" and not names_speaker(dialect, fact):
            return MOST_OF_MODEL
    is_certain = fact.seen is not None or fact.confidence in ("source-code", "recorded")
    return math.inf if is_certain else MOST_OF_DOCUMENTATION


def _has_facts_about_errors(dialect: Dialect) -> bool:
    return any("error" in one.kinds for one in dialect.deviations if one.decides) or any(
        "error" in one.kinds for one in dialect.fingerprints if one.decides
    )


def _surprise(dialect: Dialect) -> float:
    """Return the chance that a dialect shows something it is not known for: smaller if it is better known."""
    chance = max(SURPRISE, 1 / (recordings(dialect) + 4))
    return max(chance, SURPRISE_OF_GATEWAY) if dialect.kind == "gateway" else chance
