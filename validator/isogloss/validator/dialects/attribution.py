"""Decide which dialect an exchange speaks, or that this is undetermined (open-set recognition).

The candidates are all dialects and a *stranger*: a speaker that no dialect file describes. The stranger shows every
observation at the background rate (:mod:`~isogloss.validator.dialects.rates`). The weight of an observation for a
dialect is a logarithm, in nats. It compares how likely the dialect makes the observation with how likely the stranger
makes it. Let `f` be the rate of the dialect, and `b` the background rate. These are the weights:

* known, if the dialect explains the observation: ``ln f/b``, at least `LEAST`. The weight has an upper limit if nobody
  counted the fact in recordings, if the exchange is from another time than the fact, or if the observation is one of
  these: the form of `model`, a deviation that unknown speakers have, too (something missing, a null in place of a
  value, a value of a wrong type, a broken rule), an empty string, a form that many speakers use
  (:mod:`~isogloss.validator.dialects.common_forms`), or a fact that a gateway passes on. What nobody counted weighs no
  more than such a deviation if several others show it, too. A value that holds the name of its speaker needs no count;
* unexplained, for findings of the schema that the dialect does not explain: ``ln s / max(b, LEAST_BACKGROUND)``. Here,
  `s` is the chance that the dialect shows something it is not known for. It is smaller for dialects that are known
  better (`SURPRISE`);
* another's, if a dialect has fingerprints at a path and the value there satisfies none of them: the logarithm of the
  rate at which that happens, which is at least `LEAST_OTHER_FORM`. A value that holds the name of its speaker is
  another's for all dialects that relay no other, too. A server can run any model, so the form of `model` is no evidence
  against a server, nor is a form that a gateway passes on against the gateway. What an error says depends on what went
  wrong, so it is no such evidence either;
* not seen, for facts that recordings show in more than half of the exchanges: ``ln max(1 - f, LEAST_MISSED) /
  MISSED_BACKGROUND``. This weight counts only if the object exists that could have shown the fact, and if the capture
  does not hide it: a recorder may have overwritten the value, a client library may have written the payload anew, or
  the end of the stream may not be there. It does not count either if the value has another form that the dialect is
  known for at that time, since a value has only one of them;
* `HOST`, for the dialects that own the host of the exchange and those that inherit from them, if the host counts as
  evidence. There, all others together are worth no more than a stranger. So it does not matter how many dialects are
  known that have nothing to do with the exchange;
* `REFERENCE`, for the reference. If nothing distinguishes an exchange from OpenAI's, somebody has most often written it
  by OpenAI's documentation.

Requests are no evidence, since the client writes them. Of a request alone, nobody but the owner of its host has
anything to show: there, only the dialects at home at the host and the stranger are candidates, if the host counts as
evidence. An observation counts once, however many payloads show it. Observations of one group are about the same thing:
one object and what it lacks, the usage, the values at a path, empty strings in place of values, or what the fragments
of calls repeat or leave out. All that is not seen is one group, since one setting or one version of a server leaves out
several things. In a group, the strongest weight for a dialect counts in full, and the others count by the factor
`REST`. The same is true of the weights against the dialect, but their sum is at least `FLOOR`. The score of a dialect
is the sum over all groups. The score of the stranger is `STRANGER`, the logarithm of the number of dialects that it is
worth. The confidence of a candidate is its share of ``exp(score)`` among all candidates. If no observation
distinguishes a dialect from its parent, it has no share of its own, and is tied with the parent.

A dialect may relay others. Then pairs of both are candidates, too (:mod:`~isogloss.validator.dialects.chains`). The
share of a pair is added to the share of the dialect in front. The dialect behind it is named as well if the pair has at
least `SURE_BEHIND` of that share.

A dialect is named only if it is sure. For this, its confidence must be at least `SURE`, and one of these must be true:
the host is its own; there is a certain mark of it; or the groups that each weigh at least `ENOUGH` for it weigh at
least `TOGETHER`, and one observation weighs more than a deviation that unknown speakers have. A mark is an observation
that the dialect makes at least `MARK` times likelier than the stranger does, and whose upper limit is not below
`MOST_OF_UNCOUNTED`. It is certain if its weight has no limit. So one thing that nobody counted names nobody, and
neither do two things that anybody may send, even beside an id of a common form. A shape, which has no known speaker, is
never sure, and what a dialect inherits from a shape does not make it sure: others have that shape, too. If nothing is
sure, the answer is `UNDETERMINED`, and the dialect with the highest confidence is only the nearest.
``scripts/measure_dialects.py`` counts how often each confidence is right.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import compress

from msgspec import Struct

from isogloss.validator.dialects.chains import Chains
from isogloss.validator.dialects.expected_facts import ExpectedFact
from isogloss.validator.dialects.groups import (
    FLOOR,
    EvidenceGroup,
    group_evidence,
    is_shown_by_several,
    strongest_and_rest,
    total,
)
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.payload_features import Features, PayloadFeatures
from isogloss.validator.dialects.weights import Observation, Weighed, Weights

__all__ = ["MOST_OBSERVATIONS", "SURE", "TIE", "UNDETERMINED", "Attribution", "Candidate", "Evidence", "Recogniser"]

UNDETERMINED = "undetermined"
"""The value in place of a dialect's slug if no dialect is named."""
SURE = 0.9
"""The lowest confidence at which a dialect is named."""
SURE_BEHIND = 0.75
"""The share of the front dialect's confidence that the dialect behind it needs to be named."""
TIE = 0.5
"""A dialect is tied with the nearest one if it has at least this share of the nearest one's confidence."""
STRANGER = 1.7
HOST = 5.0
REFERENCE = 2.5

_MOST_REMEMBERED = 4096
MOST_OBSERVATIONS = 256
"""What was decided for more observations is not remembered: hardly any two exchanges have the same so many."""


class Evidence(Struct, frozen=True):
    """One reason for or against a dialect.

    ``what`` is the observation, ``how`` is its relation to the dialect, such as ``known`` or ``not seen``, and
    ``weight`` is its weight in nats.
    """

    what: str
    how: str
    weight: float


class Candidate(Struct, frozen=True):
    """A dialect with its confidence, from 0 to 1.

    ``same_as`` is its parent, if nothing tells the two apart: then its confidence is 0.
    """

    slug: str
    confidence: float
    same_as: str | None = None


@dataclass(frozen=True)
class Attribution:
    """The most likely dialect, ``nearest``, and the confidence that the speaker is a stranger.

    ``sure`` is true if the nearest dialect is named. ``contradicts`` is the dialect that owns the host, if the body
    surely speaks another one. ``relayed`` is the dialect that surely stands behind the one that is named.
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
        return tuple(one.slug for one in self.candidates if one.confidence >= least or one.same_as == nearest.slug)

    def evidence(self, slug: str) -> tuple[Evidence, ...]:
        """Return what speaks for and against a dialect, strongest first."""
        return self._evidence(slug)


class _Shares(Struct, frozen=True):
    """The share of each dialect, each with those of the pairs that it stands in front of, and that of the stranger.

    ``behind`` holds the shares of the pairs, by the dialect in front and the one behind; ``None`` is a stranger.
    ``like`` holds the slug of the parent by the slug of each dialect that nothing tells from its parent.
    """

    dialects: Sequence[float]
    stranger: float
    behind: Mapping[int | None, Mapping[int | None, float]]
    like: Mapping[str, str]


class Recogniser:
    """Attributes the observations of an exchange to one of some dialects, or to none."""

    def __init__(self, dialects: Iterable[Dialect], features: PayloadFeatures) -> None:
        self._dialects = tuple(dialects)
        self._weights = Weights(self._dialects, features)
        self._slugs = tuple([one.slug for one in self._dialects])
        self._positions = {slug: position for position, slug in enumerate(self._slugs)}
        self._references = [position for position, one in enumerate(self._dialects) if one.kind == "reference"]
        self._parents = [
            (position, self._positions[parent], parent)
            for position, one in enumerate(self._dialects)
            for parent in [next((slug for slug in one.parents if slug in self._positions), None)]
            if parent is not None
        ]
        self._children_of_shapes = frozenset(
            child for child, parent, _ in self._parents if self._dialects[parent].kind == "shape"
        )
        self._chains = Chains(self._dialects)
        self.owners = lru_cache(_MOST_REMEMBERED)(self._find_owners)
        self._observation = lru_cache(_MOST_REMEMBERED)(self._weights.observation)
        self._form = lru_cache(_MOST_REMEMBERED)(self._weights.form)
        self._expectations = lru_cache(_MOST_REMEMBERED)(self._weights.expected.of)
        self._weigh_small_group = lru_cache(_MOST_REMEMBERED)(self._weigh_group)
        self._no_weights = (0.0,) * len(self._dialects)
        self._host_elsewhere = max(0.0, math.log(len(self._dialects) - 1 + math.exp(REFERENCE)) - STRANGER)
        """The weight of a host against the dialects that are not at home there."""
        self._sums = _Sums()

    def attribute(
        self,
        observed: Iterable[Observation],
        features: Features,
        host: str | None,
        when: float | None = None,
        answered: bool = True,
    ) -> Attribution:
        """Attribute findings, forms of values, a host and a moment to a dialect; ``observed`` holds nothing twice."""
        weights = self._weights
        weighed = [
            self._observation(one, weights.era_of_observation(one, when)) for one in sorted(observed, key=_sort_key)
        ]
        weighed += [
            self._form(kind_path, satisfied, weights.claims.era(kind_path, when))
            for kind_path, satisfied in features.forms
        ]
        expected = self._expectations(features._replace(forms=()), weights.expected.era(when))
        not_missed = frozenset[ExpectedFact]().union(*[one.not_missed for one in weighed])
        groups = group_evidence(weighed, expected, not_missed)
        host_owners = self.owners(host) if host is not None else ()
        evidence = partial(self._evidence, weighed, groups, host_owners)
        return self._decide(groups, weighed, host_owners, evidence, answered)

    def _find_owners(self, host: str) -> tuple[int, ...]:
        """Return the positions of the dialects that own a host."""
        return tuple(position for position, one in enumerate(self._dialects) if one.speaks_at(host))

    def _at_home(self, host_owners: Sequence[int]) -> frozenset[int]:
        """Return the positions of the owners of a host and of the dialects that inherit from them."""
        return frozenset(host_owners).union(child for child, parent, _ in self._parents if parent in host_owners)

    def _decide(
        self,
        groups: Sequence[EvidenceGroup],
        weighed: Sequence[Weighed],
        host_owners: Sequence[int],
        evidence: Callable[[str], tuple[Evidence, ...]],
        answered: bool,
    ) -> Attribution:
        totals = [
            (self._weigh_small_group if len(one.found) <= MOST_OBSERVATIONS else self._weigh_group)(one)
            for one in groups
        ]
        own = set(host_owners).union(*[one.own for one in weighed])
        shares = self._shares(groups, totals, own, host_owners, answered)
        whole = sum(shares.dialects) + shares.stranger
        confidences = [share / whole for share in shares.dialects]
        best = max(confidences)
        slug = min(compress(self._slugs, map(best.__eq__, confidences)))
        nearest = self._positions[slug]
        is_shown = nearest in host_owners or self._is_shown(nearest, [one.found for one in groups])
        is_sure = is_shown and best >= SURE and self._dialects[nearest].kind != "shape"
        contradicts = None
        if is_sure and host_owners and nearest not in self._at_home(host_owners):
            contradicts = self._dialects[host_owners[0]].slug
        return Attribution(
            Candidate(slug, best, shares.like.get(slug)),
            shares.stranger / whole,
            is_sure,
            contradicts,
            self._relayed(shares.behind[nearest], shares.dialects[nearest]) if is_sure else None,
            dict(zip(self._slugs, confidences, strict=True)),
            shares.like,
            evidence,
        )

    def _is_shown(self, position: int, groups: Sequence[Sequence[Weighed]]) -> bool:
        """Return whether a certain mark of a dialect, or several groups of observations, show the dialect.

        A child of a shape is shown only by what distinguishes it from the shape.
        """
        if position in self._children_of_shapes:
            groups = [[one for one in group if position in one.own] for group in groups]
        is_certain = any(position in one.certain for group in groups for one in group)
        return is_certain or is_shown_by_several(position, groups)

    def _shares(
        self,
        groups: Sequence[EvidenceGroup],
        totals: Sequence[Sequence[float]],
        own: Collection[int],
        host_owners: Sequence[int],
        answered: bool,
    ) -> _Shares:
        """Compute the share of each candidate.

        ``totals`` holds the weights of each group. ``own`` holds the positions of the dialects that have a mark of
        their own here, which their parents do not have.
        """
        scores: list[float] = list(map(sum, zip(*totals, strict=True))) or list(self._no_weights)
        for position in self._references:
            scores[position] += REFERENCE
        pairs = list(self._chains.pairs(groups, host_owners, HOST))
        stranger_score = STRANGER
        if host_owners:  # only differences count: what is not elsewhere is raised, and not the others lowered
            at_home = self._at_home(host_owners)
            for position in at_home:
                scores[position] += HOST + self._host_elsewhere
            pairs = [
                one.weighed(self._host_elsewhere) if one.front is None or one.front in at_home else one for one in pairs
            ]
            stranger_score += self._host_elsewhere
        highest = max(*scores, stranger_score, *(pair.score for pair in pairs))
        shares = [math.exp(score - highest) for score in scores]
        like = self._leave_out_like_parents(shares, own)
        behind: dict[int | None, dict[int | None, float]] = defaultdict(dict)
        for pair in pairs:
            if pair.behind is None or self._dialects[pair.behind].slug not in like:
                behind[pair.front][pair.behind] = math.exp(pair.score - highest)
        for front, shares_behind in behind.items():
            if front is not None:
                shares[front] += sum(shares_behind.values())
        if host_owners and not answered:
            shares = [share if position in at_home else 0.0 for position, share in enumerate(shares)]
        stranger = math.exp(stranger_score - highest) + max(behind[None].values(), default=0.0)
        return _Shares(shares, stranger, behind, like)

    def _weigh_group(self, group: EvidenceGroup) -> Sequence[float]:
        """Sum the weights of a group for each dialect."""
        rows = [one.weights for one in group.found]
        if len(rows) == 1 and not group.missed and min(rows[0]) >= FLOOR:
            return rows[0]
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(self._dialects)
        for expected in group.missed:
            columns[expected.position] += (expected.weight,)
        return list(map(self._sums.__getitem__ if len(rows) <= MOST_OBSERVATIONS else _sum, columns))

    def _relayed(self, behind: Mapping[int | None, float], whole: float) -> Candidate | None:
        """Return the dialect that is surely behind the one that is named, with its confidence, or ``None`` if none is.

        ``whole`` is the share of the dialect that is named. A stranger is behind it with the share of ``None``.
        """
        likeliest = max(behind, key=lambda position: behind[position], default=None)
        if likeliest is None or behind[likeliest] < SURE_BEHIND * whole:
            return None
        return Candidate(self._dialects[likeliest].slug, behind[likeliest] / whole)

    def _leave_out_like_parents(self, shares: list[float], own: Collection[int]) -> dict[str, str]:
        """Set the share of each dialect without an observation of its own to 0: it is a part of its parent.

        Return the slug of the parent by the slug of each of these dialects. The parent gets nothing for it: neither how
        many services run a server is evidence for it, nor that one of them leaves out what the parent always shows.
        """
        like = {}
        for position, _, parent in self._parents:
            if position not in own:
                shares[position] = 0.0
                like[self._dialects[position].slug] = parent
        return like

    def _evidence(
        self,
        weighed: Sequence[Weighed],
        groups: Sequence[EvidenceGroup],
        host_owners: Sequence[int],
        slug: str,
    ) -> tuple[Evidence, ...]:
        position = self._positions[slug]
        evidence = [Evidence(one.what, one.relations[position], one.weights[position]) for one in weighed]
        missed = [one for group in groups for one in group.missed if one.position == position]
        evidence += [Evidence(one.what, "not seen", one.weight) for one in missed]
        if position in self._at_home(host_owners):
            evidence.append(Evidence("the host", "its own", HOST))
        return tuple(sorted((one for one in evidence if one.how), key=lambda one: -abs(one.weight)))


@lru_cache(_MOST_REMEMBERED)
def _sort_key(observation: Observation) -> tuple[object, ...]:
    return (*observation[:3], [dialect.slug for dialect, _ in observation.facts])


def _sum(weights: tuple[float, ...]) -> float:
    """Return the sum of the weights for and against a dialect in one group."""
    return total(*strongest_and_rest(weights))


class _Sums(dict[tuple[float, ...], float]):
    """The same sums by the weights, remembered: most dialects have the same weights in a group."""

    def __missing__(self, weights: tuple[float, ...]) -> float:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        found = self[weights] = _sum(weights)
        return found
