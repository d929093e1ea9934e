"""Write a comparison as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from isogloss.cli.comparisons.comparison import Comparison
from isogloss.cli.comparisons.words import (
    before_and_after,
    endpoint,
    nothing_compared,
    place,
    severities,
    subject,
    times,
)
from isogloss.cli.elements.markdown import escaped
from isogloss.validator.comparing.changes import Change

__all__ = ["report"]

_MOST_ROWS = 500
"""The largest number of rows of a table. A comment may have about 65,000 characters."""


def report(comparison: Comparison, out: TextIO) -> None:
    """Write a heading, the summary, and a table of the differences, or one for each dialect and endpoint."""
    title = "Twins" if comparison.question == "twins" else "Changes"
    out.write(f"# {title}: {escaped(severities(comparison))}\n\n{escaped(comparison.heading)}\n")
    if not comparison.groups:
        out.write(f"\n{escaped(nothing_compared(comparison))}\n")
    rows = [
        (
            many.first.finding.severity.label,
            many.first.finding.rule,
            f"{subject(many.first.finding.kind, many.first.finding.path)}: {many.first.finding.message}{times(many)}",
            place(many.first.finding.source),
            place(many.first.other_source),
        )
        for many in comparison.repeated_differences()
    ]
    out.writelines(_table(("severity", "rule", "what", "at", "against"), rows))
    for changes in comparison.changes:
        if changes.changes:
            out.write(f"\n## {escaped(endpoint(changes))}\n")
            out.writelines(_table(("severity", "change", "what", "before", "after"), map(_row, changes.changes)))


def _row(change: Change) -> Sequence[str]:
    what = f"{subject(change.kind, change.path)} {change.message}"
    return change.severity.label, change.change, what, *before_and_after(change)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    all_rows = [*rows]
    if all_rows:
        yield f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n"
    for row in all_rows[:_MOST_ROWS]:
        yield f"| {' | '.join(map(escaped, row))} |\n"
    if len(all_rows) > _MOST_ROWS:
        yield f"\n{len(all_rows) - _MOST_ROWS:,} more are not listed here.\n"
