"""Sort pairs of answers by the dialect that their server speaks and the endpoint that was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from isogloss.validator.comparing.answers import Compared
from isogloss.validator.comparing.pairing import Group
from isogloss.validator.dialects.attribution import UNDETERMINED

__all__ = ["Stratum", "strata"]


class Stratum(NamedTuple):
    """A dialect, or ``undetermined``, and the path of an endpoint; empty where the capture does not tell."""

    dialect: str
    endpoint: str


def strata(groups: Iterable[Group]) -> dict[Stratum, list[Group]]:
    """Sort groups by the dialect and the endpoint of their answers in the recording from before.

    An endpoint of a host speaks the dialect that most of its answers surely speak: a single answer often does not show
    it.
    """
    groups = list(groups)
    speakers = _speakers([one for group in groups for one in group.left])
    found: dict[Stratum, list[Group]] = {}
    for group in groups:
        first = group.left[0]
        found.setdefault(Stratum(speakers[_endpoint(first)], first.exchange.path or ""), []).append(group)
    return found


def _speakers(answers: Sequence[Compared]) -> dict[tuple[str, str], str]:
    spoken: dict[tuple[str, str], Counter[str]] = {}
    for one in answers:
        counts = spoken.setdefault(_endpoint(one), Counter())
        if one.speaks not in (None, UNDETERMINED):
            counts[one.speaks or ""] += 1
    return {at: max(counts, key=lambda slug: counts[slug], default=UNDETERMINED) for at, counts in spoken.items()}


def _endpoint(one: Compared) -> tuple[str, str]:
    return one.exchange.host or "", one.exchange.path or ""
