"""The numbers below the title of a page, which sum up the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from isogloss.validator.findings import Severity

__all__ = ["Figure", "severities"]


class Figure(NamedTuple):
    """A number, what it counts, and the class that colours it."""

    number: int
    label: str
    level: str = ""


def severities(counts: Mapping[Severity, int]) -> list[Figure]:
    """Return how many findings there are of each severity, the most severe first."""
    return [
        Figure(counts.get(severity, 0), severity.label + ("" if counts.get(severity) == 1 else "s"), severity.label)
        for severity in sorted(Severity, reverse=True)
    ]
