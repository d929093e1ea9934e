"""Write the scorecard of a probe: a line for each case, then the findings, and the dialect of the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import groupby
from typing import TextIO

from msgspec.structs import replace

from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.naming import describe_dialect
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.process import terminal
from isogloss.cli.reporters import text
from isogloss.validator.quoting import count_of, count_severities, printable

__all__ = ["STYLES", "write"]

STYLES = {"conforms": "green", "deviates": "bold red", "unsupported": "yellow", "inconclusive": "magenta"}
_LEAST_JOINED = 3


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
