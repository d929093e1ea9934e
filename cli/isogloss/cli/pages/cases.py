"""Prepare the cases of a probe for a page: those that deviate first, each with its findings and its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.pages.rendering import Figure
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import count_severities, printable

__all__ = ["CaseEntry", "cases", "colour", "standings"]

_STANDINGS = {
    "deviates": "deviate",
    "inconclusive": "inconclusive",
    "unsupported": "unsupported",
    "conforms": "conform",
}
"""The standings in the order of the page, each with the word that follows a number, as in ``3 deviate``."""


class CaseEntry(NamedTuple):
    """A case of a probe, as a page shows it.

    ``colour`` is the class that colours its standing, ``why`` the reason for its standing in a few words. Each of its
    ``findings`` comes with the anchor of its entry in the page.
    """

    case: ProbedCase
    colour: str
    why: str
    findings: list[tuple[Finding, str]]


def cases(probed: Iterable[ProbedCase], anchor_of: Callable[[Finding], str]) -> list[CaseEntry]:
    """Return the entries of the cases by standing, those that deviate first."""
    order = list(_STANDINGS)
    return [
        CaseEntry(case, colour(case), "; ".join(filter(None, _reasons(case))), list(_findings(case, anchor_of)))
        for case in sorted(probed, key=lambda case: order.index(case.standing))
    ]


def _reasons(case: ProbedCase) -> tuple[str, str]:
    return printable(case.reason), count_severities(finding.severity for finding in case.findings)


def colour(case: ProbedCase) -> str:
    """Return the class that colours a case: its standing, or of one that deviates, its highest severity."""
    if case.standing != "deviates":
        return case.standing
    worst = max((finding.severity for finding in case.findings), default=Severity.ERROR)
    return max(worst, Severity.WARNING).label


def _findings(case: ProbedCase, anchor_of: Callable[[Finding], str]) -> Iterator[tuple[Finding, str]]:
    """Yield the findings of a case, the most severe first. Of findings that share an entry, yield only the first."""
    by_anchor = {anchor_of(finding): finding for finding in reversed(case.findings)}
    for anchor, finding in sorted(by_anchor.items(), key=lambda item: -item[1].severity):
        yield finding, anchor


def standings(probed: Iterable[ProbedCase]) -> list[Figure]:
    """Return how many cases ended with each standing, or nothing if there are no cases."""
    probed = list(probed)
    counts = Counter(case.standing for case in probed)
    deviating = "error" if any(colour(case) == "error" for case in probed) else "warning"
    return [
        Figure(
            counts[name],
            name if name.endswith("s") and counts[name] == 1 else words,
            deviating if name == "deviates" else name,
        )
        for name, words in (_STANDINGS.items() if counts else ())
    ]
