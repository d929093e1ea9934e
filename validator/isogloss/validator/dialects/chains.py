"""A dialect that relays others, with one of them behind it: a pair that is a candidate like any single dialect.

A pair explains what either of the two explains. An observation weighs for it what it weighs for the one that knows it;
what the front one only passes on is for the one behind to explain. What neither knows weighs as for the stricter one,
since a gateway's tolerance is for what stands behind it; other forms of values weigh as for the more tolerant one,
since a gateway may rewrite them. Facts that the front one always shows are missed, but not those that it passes on, and
none of the one behind.

A pair costs `CHAIN`, since two dialects together explain more than one, whoever speaks. The front one needs a mark that
is none of the other's, and who relays any needs them in `MARKED` groups; or its host. The one behind needs `MARKED`
marks that are none of the front one's, and is no gateway itself: two gateways together would explain a third. So a
gateway that relays any dialect gains nothing from answers that show no dialect behind it, and nothing from the facts of
the dialect behind it alone.

The front one may also be a stranger, who adds what nobody knows. That costs `STRANGERS_CHAIN`: vendors add new
properties, too, and one of them alone shall not hide who speaks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from isogloss.validator.dialects.groups import Group, strongest_and_rest, total
from isogloss.validator.dialects.model import Dialect
from isogloss.validator.dialects.weights import Weighed

__all__ = ["STRANGERS_CHAIN", "Chains", "Pair"]

CHAIN = 1.0
STRANGERS_CHAIN = 7.0
MARKED = 2


class Pair(NamedTuple):
    """The positions of a dialect that relays, ``None`` for a stranger, and of one behind it; and their score."""

    front: int | None
    behind: int
    score: float


class Chains:
    """The pairs of some dialects, each in the position it has among them."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        speakers = frozenset(number for number, one in enumerate(dialects) if one.kind in ("vendor", "server"))
        self._behind = {
            front: frozenset(number for number in speakers - {front} if one.may_relay(dialects[number]))
            for front, one in enumerate(dialects)
            if one.relays
        }
        self._any = {number for number, one in enumerate(dialects) if one.relays == "any"}

    def pairs(self, groups: Sequence[Group], at_home: Collection[int], host: float) -> Iterator[Pair]:
        """Yield the pairs of dialects that both have marks enough, with their scores.

        For the dialect in front, its own host is enough, too; ``host`` is what that adds to the score. A stranger in
        front needs no marks.
        """
        marked = {position for group in groups for one in group.found for position in one.marks}
        for front in self._behind.keys() & (marked | {*at_home}):
            for behind in self._behind[front] & marked:
                if _marked(groups, behind, front) < MARKED or not (
                    front in at_home or self._shows(groups, front, behind)
                ):
                    continue
                score = sum(total(*strongest_and_rest(_weights(group, front, behind))) for group in groups)
                yield Pair(front, behind, score - CHAIN + (host if front in at_home else 0.0))
        for behind in marked:
            if _marked(groups, behind) >= MARKED:
                score = sum(total(*strongest_and_rest(_behind_a_stranger(group, behind))) for group in groups)
                yield Pair(None, behind, score - STRANGERS_CHAIN)

    def _shows(self, groups: Sequence[Group], front: int, behind: int) -> bool:
        """Return whether there are enough groups with marks of a front dialect that are none of the dialect behind it.

        One group is enough, but a dialect that relays any other needs ``MARKED`` groups.
        """
        least = MARKED if front in self._any else 1
        marked = (any(front in one.marks and behind not in one.marks for one in group.found) for group in groups)
        return sum(marked) >= least


def _marked(groups: Sequence[Group], position: int, other: int | None = None) -> int:
    """Count the marks of a dialect that are no marks of the other one."""
    return sum(position in one.marks and other not in one.marks for group in groups for one in group.found)


def _weights(group: Group, front: int, behind: int) -> list[float]:
    weights = [_weight(one, front, behind) for one in group.found]
    return weights + [one.weight for one in group.missed if one.position == front and not one.fact.passed_on]


def _weight(one: Weighed, front: int, behind: int) -> float:
    if one.hows[front] == "passed on":
        return one.weights[behind]
    known = [one.weights[position] for position in (front, behind) if one.hows[position] in ("known", "passed on")]
    if known:
        return max(known)
    both = one.weights[front], one.weights[behind]
    return min(both) if one.hows[front] == "unexplained" else max(both)


def _behind_a_stranger(group: Group, behind: int) -> list[float]:
    weights = [one.weights[behind] for one in group.found if one.hows[behind] != "unexplained"]
    return weights + [one.weight for one in group.missed if one.position == behind]
