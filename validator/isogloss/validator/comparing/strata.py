"""Sort groups of answers by the dialect that their server speaks, and by the endpoint of the requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from isogloss.validator.comparing.answers import ComparedAnswer
from isogloss.validator.comparing.pairing import AnswerGroup
from isogloss.validator.dialects.attribution import UNDETERMINED

__all__ = ["Stratum", "strata"]


class Stratum(NamedTuple):
    """A dialect, or ``undetermined``, and the path of an endpoint, which is empty if the capture does not have it."""

    dialect: str
    endpoint: str


def strata(groups: Iterable[AnswerGroup]) -> dict[Stratum, list[AnswerGroup]]:
    """Sort groups by the dialect and the endpoint of their answers in the recording from before.

    An endpoint of a host speaks the dialect that most of its answers surely speak: a single answer often does not show
    it.
    """
    groups = list(groups)
    dialects = _spoken_dialects([answer for group in groups for answer in group.left])
    found: dict[Stratum, list[AnswerGroup]] = {}
    for group in groups:
        first = group.left[0]
        found.setdefault(Stratum(dialects[_endpoint(first)], first.exchange.path or ""), []).append(group)
    return found


def _spoken_dialects(answers: Sequence[ComparedAnswer]) -> dict[tuple[str, str], str]:
    counts_by_endpoint: dict[tuple[str, str], Counter[str]] = {}
    for answer in answers:
        counts = counts_by_endpoint.setdefault(_endpoint(answer), Counter())
        if answer.speaks is not None and answer.speaks != UNDETERMINED:
            counts[answer.speaks] += 1
    return {
        endpoint: max(counts, key=lambda slug: counts[slug], default=UNDETERMINED)
        for endpoint, counts in counts_by_endpoint.items()
    }


def _endpoint(compared: ComparedAnswer) -> tuple[str, str]:
    return compared.exchange.host or "", compared.exchange.path or ""
