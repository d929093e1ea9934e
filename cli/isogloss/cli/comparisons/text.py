"""Write a comparison for people: what differs, the places of both answers, and how much was compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from isogloss.cli.comparisons.comparison import Comparison, RepeatedDifference
from isogloss.cli.comparisons.words import endpoint, rates, severities, times
from isogloss.cli.elements.frames import frame
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.process.terminal import Line, width_of, write
from isogloss.cli.reporters.text import STYLES
from isogloss.validator.comparing.change import Change
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

__all__ = ["report"]


def report(comparison: Comparison, out: TextIO) -> None:
    """Write what differs, the most severe first, and a summary."""
    width = width_of(out)
    lines: list[Line] = []
    for repeated in comparison.repeated_differences():
        lines += _difference(repeated, width)
    for changes in comparison.changes:
        if changes.changes:
            lines.append([(f"{endpoint(changes)}:", "bold")])
        for change in changes.changes:
            lines += _change(change)
    lines.append([(printable(f"{comparison.heading}: {severities(comparison)}"), "bold")])
    write(lines, out)


def _difference(repeated: RepeatedDifference, width: int | None) -> Iterator[Line]:
    finding, first = repeated.first.finding, repeated.first
    yield [
        (f"{place(finding.source)}: ", ""),
        (f"{finding.severity.label}[{finding.rule}]", STYLES[finding.severity]),
        (f" {kind_and_path(finding)}: {finding.message}{times(repeated)}", ""),
    ]
    yield from _excerpt(first.excerpt, width, STYLES[finding.severity])
    yield [(f"      = against {place(first.other_source)}", "dim")]
    yield from _excerpt(first.other_excerpt, width, "green")


def _excerpt(excerpt: Excerpt | None, width: int | None, style: str) -> list[Line]:
    return [] if excerpt is None else frame(excerpt, width, style)


def _change(change: Change) -> Iterator[Line]:
    yield [
        ("  ", ""),
        (f"{change.severity.label}[{change.change}]", STYLES[change.severity]),
        (f" {kind_and_path(change)} {change.message}{rates(change)}", ""),
    ]
    if change.severity > Severity.NOTE:
        places = [
            f"{verb} at {place(source)}"
            for verb, source in (("was", change.was), ("is", change.now))
            if source is not None
        ]
        if places:
            yield [(f"      = {', '.join(places)}", "dim")]
