"""Repeat the cases whose answer the model decides, and give the rate at which they conform, with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from isogloss.cli.checking.probed import Repeated
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.outcome import Outcome, Standing

__all__ = ["join_repeated", "repeat_cases", "wilson"]

_SEPARATOR = "~"
"""Stands between the name of a case and the number of its repetition. No name of a case contains it."""
_QUANTILE = 1.959963984540054
"""The quantile of the normal distribution for a confidence of 95 %."""
_STANDING_ORDER: tuple[Standing, ...] = ("deviates", "unsupported", "conforms", "inconclusive")
"""The order of the standings. If repetitions end differently, the standing that comes first here counts."""


def repeat_cases(cases: Iterable[Case], times: int) -> Iterator[Case]:
    """Yield the cases, and repeat those that expect something of a completion, since the model decides it.

    Cases that are sent after all others are not repeated.
    """
    for case in cases:
        yield case
        if case.expects is not None and not case.last:
            yield from (replace(case, name=f"{case.name}{_SEPARATOR}{number}") for number in range(2, times + 1))


def join_repeated(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes, with those of one case joined into one.

    The joined outcome has all answers of the case, and says how often the case conformed.
    """
    for name, group in groupby(outcomes, lambda outcome: outcome.case.name.partition(_SEPARATOR)[0]):
        repetitions = list(group)
        yield repetitions[0] if len(repetitions) == 1 else _join(name, repetitions)


def _join(name: str, repetitions: Sequence[Outcome]) -> Outcome:
    decisive = min(repetitions, key=lambda one: _STANDING_ORDER.index(one.standing))
    answered = [outcome for outcome in repetitions if outcome.answered]
    conforming = sum(outcome.standing == "conforms" for outcome in answered)
    low, high = wilson(conforming, len(answered))
    rate = Repeated(conforming, len(answered), low, high)
    return replace(
        decisive,
        case=replace(decisive.case, name=name),
        reason="; ".join(filter(None, (decisive.reason, str(rate)))),
        judged=tuple(judged for outcome in repetitions for judged in outcome.judged),
        seconds=sum(outcome.seconds for outcome in repetitions),
        answered=bool(answered),
        reachable=any(outcome.reachable for outcome in repetitions),
        internal=any(outcome.internal for outcome in repetitions),
        repeated=rate,
    )


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return the interval that holds a rate with a confidence of 95 %, by Wilson's score.

    If nothing is known, it is the whole interval from 0 to 1. Source: E. B. Wilson, "Probable inference, the law of
    succession, and statistical inference", JASA 22 (1927).
    """
    if not of:
        return 0.0, 1.0
    square, rate = _QUANTILE**2, found / of
    middle = (rate + square / (2 * of)) / (1 + square / of)
    half = _QUANTILE / (1 + square / of) * math.sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    return (0.0 if not found else max(0.0, middle - half)), (1.0 if found == of else min(1.0, middle + half))
