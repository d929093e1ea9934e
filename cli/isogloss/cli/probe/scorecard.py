"""Write the scorecard of a probe: a line for each case, then the findings, and the dialect of the answers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import groupby
from typing import TextIO

from msgspec.structs import replace

from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.process import terminal
from isogloss.cli.reporters import text
from isogloss.validator.dialects.attribution import SURE, TIE, UNDETERMINED
from isogloss.validator.quoting import count_of, count_severities, join_first, join_list, printable

__all__ = ["STYLES", "describe_dialect", "write"]

STYLES = {"conforms": "green", "deviates": "bold red", "unsupported": "yellow", "inconclusive": "magenta"}
_REFERENCE = "openai"
_LEAST_CONFIDENCE = 1e-9
_LEAST_JOINED = 3
_MOST_NAMED = 3
"""The highest number of dialects that are named as the nearest ones."""
_LEAST_NAMED = 0.1
"""The least confidence with which a dialect is named as the nearest one."""


def write(outcomes: Sequence[Outcome], run: Run, out: TextIO) -> None:
    """Write the scorecard.

    Skipped cases are not listed again: the lines of the cases show them already. The dialect of the server is described
    from all answers together, and not for each.
    """
    terminal.write([*_lines_of_cases(outcomes), [("", "")]], out)
    shown = copy(run)
    shown.skipped = []
    shown.dialects = {slug: replace(spoken, nearest=Counter()) for slug, spoken in run.dialects.items()}
    text.report(shown, out)
    terminal.write([[(line, "bold")] for line in (describe_dialect(outcomes), _count_standings(outcomes)) if line], out)


def _lines_of_cases(outcomes: Sequence[Outcome]) -> Iterator[list[tuple[str, str]]]:
    """Yield a line for each case: its name, its result, its time, and the reason or the counts of its findings.

    Cases that were not sent, all for the same reason, are one line.
    """
    width = max(len(outcome.case.name) for outcome in outcomes)
    for outcome, same in _joined(outcomes):
        several = f"{same} cases" if same == len(outcomes) else f"{same} other cases"
        name = outcome.case.name if same == 1 else several
        counts = count_severities(finding.severity for finding in outcome.findings)
        yield [
            (f"{name:{width}}  ", ""),
            (f"{outcome.standing:12}", STYLES[outcome.standing]),
            (f"  {outcome.seconds:7.2f} s  " if outcome.seconds else " " * 13, "dim"),
            ("; ".join(filter(None, (printable(outcome.reason), counts))), ""),
        ]


def _joined(outcomes: Sequence[Outcome]) -> Iterator[tuple[Outcome, int]]:
    """Yield each outcome with the number 1. Of several that are alike except for their names, yield only the first.

    It has the number of these outcomes beside it.
    """
    for _, alike in groupby(outcomes, key=lambda one: one.case.name if one.judged else (one.standing, one.reason)):
        first, *others = alike
        if len(others) < _LEAST_JOINED:
            yield from ((outcome, 1) for outcome in (first, *others))
        else:
            yield first, 1 + len(others)


def _count_standings(outcomes: Sequence[Outcome]) -> str:
    """Return one line with the number of cases, and how many of them ended with each result."""
    standings: Counter[str] = Counter(outcome.standing for outcome in outcomes)
    return f"{count_of(len(outcomes), 'case')}: " + ", ".join(
        f"{standings[name]} {name if standings[name] == 1 else name.removesuffix('s')}"
        for name in STYLES
        if standings[name]
    )


def describe_dialect(outcomes: Sequence[Outcome]) -> str:
    """Describe which dialect the answers speak, or name the nearest ones if that is not sure.

    Return an empty string if no answer with a status below 300 has an attribution. No dialect is named if each is
    improbable.

    The confidences of the answers are averaged with a geometric mean. What one answer shows, the next one shows again,
    so many answers are hardly more evidence than one. A dialect is named only if at least one answer surely speaks it
    by itself.
    """
    attributions = [
        answer.attribution
        for outcome in outcomes
        for answer in outcome.judged
        if answer.attribution is not None and answer.status < 300
    ]
    if not attributions:
        return ""
    logarithms: dict[str, float] = defaultdict(float)
    for attribution in attributions:
        confidences = {candidate.slug: candidate.confidence for candidate in attribution.candidates}
        for slug, confidence in (confidences | {UNDETERMINED: attribution.stranger}).items():
            logarithms[slug] += math.log(max(confidence, _LEAST_CONFIDENCE))
    means = {slug: math.exp(total / len(attributions)) for slug, total in logarithms.items()}
    sum_of_means = sum(means.values())
    del means[UNDETERMINED]
    best = max(means.values())
    tied = sorted(slug for slug, mean in means.items() if mean >= best * TIE)
    confidence = best / sum_of_means
    agreeing = sum(1 for attribution in attributions if set(tied) & set(attribution.tied))
    agree = f"{agreeing} of {count_of(len(attributions), 'answer')}"
    if _REFERENCE in tied:
        return "speaks no dialect that differs from the reference"
    if confidence >= SURE and any(one.speaks in tied for one in attributions):
        relayed = sorted({slug for one in attributions if one.speaks in tied for slug in one.chain[1:]})
        relaying = f", relaying {join_list(relayed)}" if relayed else ""
        return f"speaks the dialect {join_list(tied)}{relaying} (in {agree})"
    if confidence < _LEAST_NAMED:
        return "speaks no dialect that isogloss knows, as far as the answers show"
    named = join_list(tied) if len(tied) <= _MOST_NAMED else join_first(tied, _MOST_NAMED)
    return f"speaks no dialect for certain; nearest: {named} (confidence {confidence * 100:.0f} %, in {agree})"
