"""Whose dialect an exchange speaks, or that it cannot be told: open-set recognition, by what was observed.

The candidates are the dialects and one more, a *stranger*: a speaker that no dialect file describes, who shows
everything at the background rate (:mod:`~isogloss.validator.dialects.rates`). The weight of an observation for a
dialect is a logarithm, in nats: of how much likelier the dialect makes it than the stranger does. With `f` the rate of
the dialect and `b` the background rate, an observation weighs

* known: ``ln f/b``, at least `LEAST`. There is a most where the dialect's source is documentation, where the
  observation is the form of `model`, something missing, a form that anybody's values have
  (:mod:`~isogloss.validator.dialects.common_forms`), or what a gateway passes on;
* unexplained, for findings of the schema: ``ln s / max(b, LEAST_BACKGROUND)``, `s` being the chance that the dialect
  shows what it is not known for, smaller for dialects that are known better (`SURPRISE`);
* another's, where a dialect has fingerprints at a place and the value there satisfies none of them: the logarithm of
  how often that happens, at least `LEAST_OTHER_FORM`. Servers run any model: its form says nothing against them;
* not seen, for facts that recordings show in more than half of the exchanges, where their place's holder exists:
  ``ln max(1 - f, LEAST_MISSED) / MISSED_BACKGROUND``;
* `HOST`, for the dialects that own the host of the exchange, where it counts;
* `REFERENCE`, for the reference: what tells nobody from OpenAI is most often written after its documentation.

Requests say nothing: they are their client's doing. An observation counts once, however many payloads show it.
Observations of one group are about the same (one object, the usage, the values at a place): the strongest for a dialect
counts, and `REST` of the others that are for it; and so those against it, down to `FLOOR`. The sum over groups is the
score of a dialect; that of the stranger is `STRANGER`, which is the logarithm of how many dialects it is worth.
Confidence is the share of ``exp(score)`` among all candidates. A dialect without an observation of its own, which its
parent does not explain as well, gives its share to its parent, and is tied with it.

A dialect may relay others: pairs of both are candidates as well (:mod:`~isogloss.validator.dialects.chains`). The share
of a pair counts for the dialect in front, which is named alone, or with the one behind it where its share in that of
the one in front is at least `SURE_BEHIND`.

A dialect is named where that is sure: its confidence is at least `SURE`, and there is a mark of it, an observation at
least `MARK` times likelier than for the stranger. A mark is none of those that count less above, nor the breaking of a
rule. Instead of a mark the host will do, or `SEVERAL` groups that each say at least `ENOUGH` for the dialect.
A shape without a known speaker is never sure. Where nothing is sure, the answer is `UNDETERMINED`, and the dialect with
most confidence is only the nearest. ``scripts/measure_dialects.py`` counts how often each confidence is right.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from isogloss.validator.dialects.chains import Chains
from isogloss.validator.dialects.groups import FLOOR, Expectations, Group, grouped, strongest_and_rest, total
from isogloss.validator.dialects.model import Dialect, Fact
from isogloss.validator.dialects.payload_features import Features, PayloadFeatures, Place
from isogloss.validator.dialects.weights import Observation, Weighed, Weights

__all__ = ["SURE", "TIE", "UNDETERMINED", "Attribution", "Candidate", "Evidence", "Recogniser"]

UNDETERMINED = "undetermined"
"""What stands in the place of a dialect's slug where none is named."""
SURE = 0.9
"""The confidence that a dialect needs at least to be named."""
SURE_BEHIND = 0.75
"""The share that a dialect behind another needs of the confidence of that one to be named."""
TIE = 0.5
"""A dialect is tied with the nearest when its confidence is at least this share of the nearest's."""
STRANGER = 1.7
HOST = 5.0
REFERENCE = 2.5
ENOUGH = 1.5
SEVERAL = 2

_MOST_REMEMBERED = 4096


class Evidence(NamedTuple):
    """One reason for or against a dialect: what it is about, how it stands to the dialect, and its weight in nats."""

    what: str
    how: str
    weight: float


class Candidate(NamedTuple):
    """A dialect with its confidence, from 0 to 1.

    ``like`` is its parent, if nothing tells the two apart: then its confidence was given to the parent.
    """

    slug: str
    confidence: float
    like: str | None = None


@dataclass(frozen=True)
class Attribution:
    """The most likely dialect, ``nearest``, and the confidence that the speaker is a stranger.

    ``sure`` says whether the nearest dialect is named. ``contradicts`` is the dialect that owns the host, if the body
    surely speaks another one. ``relayed`` is the dialect that is surely behind the one that is named.
    """

    nearest: Candidate
    stranger: float
    sure: bool
    contradicts: str | None
    relayed: Candidate | None
    _confidences: Mapping[str, float]
    _like: Mapping[str, str]
    _evidence: Callable[[str], tuple[Evidence, ...]] = field(compare=False, repr=False)

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """All dialects, likeliest first."""
        ranked = sorted(self._confidences.items(), key=lambda one: (-one[1], one[0]))
        return tuple(Candidate(slug, confidence, self._like.get(slug)) for slug, confidence in ranked)

    @property
    def speaks(self) -> str:
        """The slug of the dialect that is spoken, or ``undetermined``."""
        return self.nearest.slug if self.sure else UNDETERMINED

    @property
    def chain(self) -> tuple[str, ...]:
        """The slugs of the dialect that is spoken and of the one behind it; none where nobody is named."""
        return (self.nearest.slug, *([self.relayed.slug] if self.relayed else [])) if self.sure else ()

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """The slugs of the nearest dialect and of those tied with it."""
        nearest = self.nearest
        least = nearest.confidence * TIE
        return tuple(one.slug for one in self.candidates if one.confidence >= least or one.like == nearest.slug)

    def evidence(self, slug: str) -> tuple[Evidence, ...]:
        """Return what speaks for and against a dialect, strongest first."""
        return self._evidence(slug)


class _Said(NamedTuple):
    """The total weight that the observations of one group have for each dialect.

    ``enough`` holds the positions of the dialects for which they weigh at least ``ENOUGH``.
    """

    totals: tuple[float, ...]
    enough: tuple[int, ...]


class Recogniser:
    """Attributes what was observed of an exchange to one of some dialects, or to none."""

    def __init__(self, dialects: Iterable[Dialect], features: PayloadFeatures) -> None:
        self._dialects = tuple(dialects)
        self._weights = Weights(self._dialects, features)
        self._positions = {one.slug: position for position, one in enumerate(self._dialects)}
        self._references = [position for position, one in enumerate(self._dialects) if one.kind == "reference"]
        self._parents = [
            (position, self._positions[parent], parent)
            for position, one in enumerate(self._dialects)
            for parent in [next((slug for slug in one.parents if slug in self._positions), None)]
            if parent is not None
        ]
        self._chains = Chains(self._dialects)
        self._homes: dict[str, tuple[int, ...]] = {}
        self._said: dict[Group, _Said] = {}
        self._expected: dict[tuple[frozenset[Place], frozenset[Place], float | None], Expectations] = {}

    def attribute(
        self, observed: Iterable[Observation], features: Features, host: str | None, when: float | None = None
    ) -> Attribution:
        """Attribute findings, forms of values, a host and a moment to a dialect; ``observed`` holds nothing twice."""
        ordered = sorted(observed, key=_order)
        weighed = [self._weights.observation(one, when) for one in ordered]
        weighed += [self._weights.form(place, satisfied, when) for place, satisfied in features.forms]
        known = {fact for one in ordered for _, fact in one.facts}
        expected = self._expectations(features, when)
        at_home = self.owners(host) if host is not None else ()
        evidence = partial(self._evidence, weighed, expected, known, at_home)
        return self._decide(grouped(weighed, expected.by_group, known), weighed, at_home, evidence)

    def owners(self, host: str) -> tuple[int, ...]:
        """Return the positions of the dialects that own a host."""
        owners = self._homes.get(host)
        if owners is None:
            if len(self._homes) > _MOST_REMEMBERED:
                self._homes.clear()
            owners = tuple(position for position, one in enumerate(self._dialects) if one.speaks_at(host))
            self._homes[host] = owners
        return owners

    def _expectations(self, features: Features, when: float | None) -> Expectations:
        """Return what could have shown at that moment, given the places that exist and are not overwritten."""
        key = features.there, features.overwritten, when
        expected = self._expected.get(key)
        if expected is None:
            if len(self._expected) > _MOST_REMEMBERED:
                self._expected.clear()
            there = self._weights.expected(features.there, when)
            if features.overwritten:
                there = [one for one in there if not features.hides(one.fact)]
            expected = self._expected[key] = Expectations.of(there)
        return expected

    def _say(self, groups: Iterable[Group]) -> list[_Said]:
        """Return for each group what it says about each dialect."""
        said = []
        for group in groups:
            known = self._said.get(group)
            if known is None:
                if len(self._said) > _MOST_REMEMBERED:
                    self._said.clear()
                known = self._said[group] = _said(len(self._dialects), group)
            said.append(known)
        return said

    def _decide(
        self,
        groups: Sequence[Group],
        weighed: Sequence[Weighed],
        at_home: Sequence[int],
        evidence: Callable[[str], tuple[Evidence, ...]],
    ) -> Attribution:
        said = self._say(groups)
        scores: list[float] = list(map(sum, zip(*[one.totals for one in said], strict=True))) or [0.0] * len(
            self._dialects
        )
        for position in at_home:
            scores[position] += HOST
        for position in self._references:
            scores[position] += REFERENCE
        pairs = list(self._chains.pairs(groups, at_home, HOST))
        most = max(*scores, STRANGER, *(pair.score for pair in pairs))
        shares = [math.exp(score - most) for score in scores]
        like = self._like_parents(shares, {position for one in weighed for position in one.own} | {*at_home})
        behind: dict[int | None, dict[int, float]] = defaultdict(dict)
        for pair in pairs:
            if self._dialects[pair.behind].slug not in like:
                behind[pair.front][pair.behind] = math.exp(pair.score - most)
        for front, those in behind.items():
            if front is not None:
                shares[front] += sum(those.values())
        stranger = math.exp(STRANGER - most) + max(behind[None].values(), default=0.0)
        whole = sum(shares) + stranger
        confidences = {slug: shares[position] / whole for slug, position in self._positions.items()}
        best = max(confidences.values())
        slug = min(slug for slug, confidence in confidences.items() if confidence == best)
        first = self._positions[slug]
        enough = sum(first in one.enough for one in said) >= SEVERAL
        marked = enough or first in at_home or any(first in one.marks for one in weighed)
        sure = marked and best >= SURE and self._dialects[first].kind != "shape"
        contradicts = None
        if sure and at_home and first not in at_home:
            contradicts = self._dialects[at_home[0]].slug
        return Attribution(
            Candidate(slug, best, like.get(slug)),
            stranger / whole,
            sure,
            contradicts,
            self._relayed(behind[first], shares[first]) if sure else None,
            confidences,
            like,
            evidence,
        )

    def _relayed(self, behind: Mapping[int, float], whole: float) -> Candidate | None:
        """Return the dialect that is surely behind the one that is named, with its confidence, or ``None`` if none is.

        ``whole`` is the share of the dialect that is named.
        """
        likeliest = max(behind, key=lambda position: behind[position], default=None)
        if likeliest is None or behind[likeliest] < SURE_BEHIND * whole:
            return None
        return Candidate(self._dialects[likeliest].slug, behind[likeliest] / whole)

    def _like_parents(self, shares: list[float], own: Collection[int]) -> dict[str, str]:
        """Give the share of each dialect without an observation of its own to its parent.

        Return the slug of the parent by the slug of each of these dialects. A parent gets the largest of their shares
        and its own, not the sum: how many services run a server is no evidence for it.
        """
        like = {}
        for position, at, parent in self._parents:
            if position not in own:
                shares[at] = max(shares[at], shares[position])
                shares[position] = 0.0
                like[self._dialects[position].slug] = parent
        return like

    def _evidence(
        self,
        weighed: Sequence[Weighed],
        expected: Expectations,
        known: Collection[Fact],
        at_home: Sequence[int],
        slug: str,
    ) -> tuple[Evidence, ...]:
        position = self._positions[slug]
        evidence = [Evidence(one.what, one.hows[position], one.weights[position]) for one in weighed]
        missed = [one for one in expected.all if one.position == position and one.fact not in known]
        evidence += [Evidence(one.what, "not seen", one.weight) for one in missed]
        if position in at_home:
            evidence.append(Evidence("the host", "its own", HOST))
        return tuple(sorted((one for one in evidence if one.how), key=lambda one: -abs(one.weight)))


def _order(observation: Observation) -> tuple[object, ...]:
    return (*observation[:3], [dialect.slug for dialect, _ in observation.facts])


def _said(dialects: int, group: Group) -> _Said:
    """Sum the weights of a group for each dialect."""
    columns = list(zip(*[one.weights for one in group.found], strict=True)) or [()] * dialects
    for expected in group.missed:
        columns[expected.position] += (expected.weight,)
    totals, enough = [], []
    for position, column in enumerate(columns):
        if len(column) == 1:
            said_for = whole = column[0] if column[0] > FLOOR else FLOOR
        else:
            said_for, whole = _sum(column)
        totals.append(whole)
        if said_for >= ENOUGH:
            enough.append(position)
    return _Said(tuple(totals), tuple(enough))


@lru_cache(_MOST_REMEMBERED)
def _sum(weights: tuple[float, ...]) -> tuple[float, float]:
    """Sum the weights that are for a dialect, and all weights.

    The sums are remembered: most dialects have the same weights in a group.
    """
    said_for, said_against = strongest_and_rest(weights)
    return said_for, total(said_for, said_against)
