"""Score pairs of dialects: one *in front* that relays others, and one *behind* it.

A pair is a candidate like a single dialect. It explains everything that at least one of its dialects explains. The
weight of an observation for a pair is:

* its weight for the dialect behind, if the front dialect only passes it on;
* its weight for the dialect that knows it, or the higher weight if both know it;
* the lower of both weights, if it is unexplained. A gateway has higher weights for unexplained findings only because of
  the dialects behind it;
* the higher of both weights, if it is a form of values that neither dialect has, since a gateway may rewrite values.

A fact that the front dialect always shows has a weight if it is missed, unless the front dialect only passes it on.
Missed facts of the dialect behind have no weight.

Two dialects together always explain more than one, so each pair loses `CHAIN` of its score. The front dialect needs a
mark that is no mark of the dialect behind. If it relays any dialect, it needs such marks in `MARKED` groups. Its host
is enough as well. The dialect behind needs `MARKED` marks that are no marks of the front dialect, or at the host of the
front dialect as much evidence in several groups as names a dialect without a certain mark. It cannot be a
gateway itself: two gateways together would explain a third one. What a dialect that relays any usually passes
on, whoever is behind it, is no mark of the dialect behind. So a gateway that relays any dialect gains nothing from
answers that show no dialect behind it, and nothing from facts of the dialect behind it alone.

Behind a gateway, or a vendor that relays others, there may also be a stranger: a service that no dialect file
describes. The host shows who is in front, so such a pair exists at the host of the gateway or vendor only. The stranger
may show anything, and so only what the front dialect itself adds counts. Such a pair loses `STRANGER_BEHIND` of its
score.

In front, there may also be a stranger, who adds things that no dialect is known for. Such a pair loses
`STRANGERS_CHAIN` of its score: vendors add new properties, too, and one new property should not hide the dialect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from isogloss.validator.dialects.groups import EvidenceGroup, is_shown_by_several, strongest_and_rest, total
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.weights import Weighed

__all__ = ["STRANGERS_CHAIN", "Chains", "DialectPair"]

CHAIN = 1.0
STRANGER_BEHIND = 2.0
STRANGERS_CHAIN = 7.0
MARKED = 2


class DialectPair(Struct, frozen=True):
    """A pair: the position of the dialect in front, that of the dialect behind it, and their score.

    ``front`` is ``None`` if a stranger is in front, and ``behind`` if one is behind.
    """

    front: int | None
    behind: int | None
    score: float

    def weighed(self, weight: float) -> DialectPair:
        """Return the pair with a weight added to its score."""
        return DialectPair(self.front, self.behind, self.score + weight)


class Chains:
    """The possible pairs of some dialects. A dialect is given by its position among them."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._dialects = dialects
        self._speakers = frozenset(
            position for position, dialect in enumerate(dialects) if dialect.kind in ("vendor", "server")
        )
        self._fronts = frozenset(front for front, dialect in enumerate(dialects) if dialect.relays)
        self._behind = cache(self._find_behind)
        self._relaying = frozenset(
            position for position, dialect in enumerate(dialects) if dialect.relays or dialect.kind == "gateway"
        )
        self._relays_any = {position for position, dialect in enumerate(dialects) if dialect.relays == "any"}

    def pairs(self, groups: Sequence[EvidenceGroup], at_home: Collection[int], host: float) -> Iterator[DialectPair]:
        """Yield the pairs of dialects that both have marks enough, with their scores.

        For the dialect in front, its own host is enough, too; ``host`` is what that adds to the score. A stranger in
        front or behind needs no marks.
        """
        marking = [observation for group in groups for observation in group.found if observation.marks]
        marked = set[int]().union(*[observation.marks for observation in marking])
        for front in self._fronts & (marked | {*at_home}):
            for behind in self._behind(front) & marked:
                usual_of = front if front in self._relays_any else None
                has_marks = _count_marks(marking, behind, front, usual_of) >= MARKED
                if front in at_home:
                    is_shown = has_marks or is_shown_by_several(behind, [_unusual(one, usual_of) for one in groups])
                else:
                    is_shown = has_marks and self._has_marks(groups, front, behind)
                if not is_shown:
                    continue
                score = _score(_weights(group, front, behind) for group in groups)
                yield DialectPair(front, behind, score - CHAIN + (host if front in at_home else 0.0))
        for front in self._relaying.intersection(at_home):
            score = _score(_weights_of_front(group, front) for group in groups)
            yield DialectPair(front, None, score - STRANGER_BEHIND + host)
        for behind in marked:
            if _count_marks(marking, behind) >= MARKED:
                score = _score(_weights_behind_stranger(group, behind) for group in groups)
                yield DialectPair(None, behind, score - STRANGERS_CHAIN)

    def _find_behind(self, front: int) -> frozenset[int]:
        """Return the positions of the dialects that may stand behind a dialect."""
        may_relay = self._dialects[front].may_relay
        return frozenset(one for one in self._speakers - {front} if may_relay(self._dialects[one]))

    def _has_marks(self, groups: Sequence[EvidenceGroup], front: int, behind: int) -> bool:
        """Return whether there are enough groups with marks of a front dialect that are none of the dialect behind it.

        One group is enough, but a dialect that relays any other needs ``MARKED`` groups.
        """
        least = MARKED if front in self._relays_any else 1
        are_marked = (
            any(front in observation.marks and behind not in observation.marks for observation in group.found)
            for group in groups
        )
        return sum(are_marked) >= least


def _count_marks(
    marking: Sequence[Weighed], position: int, other: int | None = None, usual_of: int | None = None
) -> int:
    """Count the marks of a dialect that are no marks of the other one, and not what ``usual_of`` usually passes on.

    Several values at one path are one mark.
    """
    marks = {
        observation.what
        for observation in marking
        if position in observation.marks and other not in observation.marks and usual_of not in observation.usual
    }
    return len(marks)


def _unusual(group: EvidenceGroup, usual_of: int | None) -> list[Weighed]:
    """Return the observations of a group without those that a dialect usually passes on."""
    return [observation for observation in group.found if usual_of not in observation.usual]


def _score(weights_of_groups: Iterable[list[float]]) -> float:
    """Sum the weights of all groups."""
    return sum(total(*strongest_and_rest(weights)) for weights in weights_of_groups)


def _weights(group: EvidenceGroup, front: int, behind: int) -> list[float]:
    return [_weight(observation, front, behind) for observation in group.found] + _missed_weights(group, front)


def _weights_of_front(group: EvidenceGroup, front: int) -> list[float]:
    weights = [observation.weights[front] for observation in group.found if observation.relations[front] == "known"]
    return weights + _missed_weights(group, front)


def _missed_weights(group: EvidenceGroup, front: int) -> list[float]:
    return [missed.weight for missed in group.missed if missed.position == front and not missed.fact.passed_on]


def _weight(weighed: Weighed, front: int, behind: int) -> float:
    relations, weights = weighed.relations, weighed.weights
    if relations[front] == "passed on":
        return weights[behind]
    known = [weights[position] for position in (front, behind) if relations[position] in ("known", "passed on")]
    if known:
        return max(known)
    both = weights[front], weights[behind]
    return min(both) if relations[front] == "unexplained" else max(both)


def _weights_behind_stranger(group: EvidenceGroup, behind: int) -> list[float]:
    weights = [
        observation.weights[behind] for observation in group.found if observation.relations[behind] != "unexplained"
    ]
    return weights + [missed.weight for missed in group.missed if missed.position == behind]
