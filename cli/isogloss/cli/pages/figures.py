"""The numbers below the title of a page, which say at a glance what it holds."""

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
    """How many findings there are of each severity, the gravest first."""
    return [
        Figure(counts.get(one, 0), one.label + ("" if counts.get(one) == 1 else "s"), one.label)
        for one in sorted(Severity, reverse=True)
    ]
