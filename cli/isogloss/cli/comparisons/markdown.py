"""A comparison as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from isogloss.cli.comparisons.comparison import Comparison
from isogloss.cli.comparisons.words import before_and_after, endpoint, nothing, place, severities, subject, times
from isogloss.cli.report_views.markdown import escaped
from isogloss.validator.comparing.changes import Change

__all__ = ["report"]

_MOST = 500
"""Rows of a table; a comment may have some 65,000 characters."""


def report(comparison: Comparison, out: TextIO) -> None:
    """Write a heading, the summary, and a table of the differences, or one for each dialect and endpoint."""
    title = "Twins" if comparison.question == "twins" else "Changes"
    out.write(f"# {title}: {escaped(severities(comparison))}\n\n{escaped(comparison.heading)}\n")
    if not comparison.groups:
        out.write(f"\n{escaped(nothing(comparison))}\n")
    rows = [
        (
            one.first.finding.severity.label,
            one.first.finding.rule,
            f"{subject(one.first.finding.kind, one.first.finding.path)}: {one.first.finding.message}{times(one)}",
            place(one.first.finding.source),
            place(one.first.other),
        )
        for one in comparison.many()
    ]
    out.writelines(_table(("severity", "rule", "what", "at", "against"), rows))
    for some in comparison.changes:
        if some.found:
            out.write(f"\n## {escaped(endpoint(some))}\n")
            out.writelines(_table(("severity", "change", "what", "before", "after"), map(_row, some.found)))


def _row(one: Change) -> Sequence[str]:
    what = f"{subject(one.kind, one.path)} {one.message}"
    return one.severity.label, one.change, what, *before_and_after(one)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    found = [*rows]
    if found:
        yield f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n"
    for row in found[:_MOST]:
        yield f"| {' | '.join(map(escaped, row))} |\n"
    if len(found) > _MOST:
        yield f"\n{len(found) - _MOST:,} more are not listed here.\n"
