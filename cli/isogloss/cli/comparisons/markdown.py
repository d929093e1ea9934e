"""Write a comparison as Markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from isogloss.cli.comparisons.comparison import Comparison, RepeatedDifference
from isogloss.cli.comparisons.words import before_and_after, endpoint, nothing_compared, severities, times
from isogloss.cli.elements.markdown import escaped, table
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.validator.comparing.change import Change

__all__ = ["report"]

_MOST_ROWS = 500
"""The largest number of rows of a table. A comment may have about 65,000 characters."""


def report(comparison: Comparison, out: TextIO) -> None:
    """Write a heading, the summary, and a table of the differences, or one for each dialect and endpoint."""
    title = "Twins" if comparison.question == "twins" else "Changes"
    out.write(f"# {title}: {escaped(severities(comparison))}\n\n{escaped(comparison.heading)}\n")
    if not comparison.groups:
        out.write(f"\n{escaped(nothing_compared(comparison))}\n")
    _write_table(
        ("severity", "rule", "what", "at", "against"), [*map(_difference, comparison.repeated_differences())], out
    )
    for changes in comparison.changes:
        if changes.changes:
            out.write(f"\n## {escaped(endpoint(changes))}\n")
            _write_table(("severity", "change", "what", "before", "after"), [*map(_change, changes.changes)], out)


def _difference(repeated: RepeatedDifference) -> Sequence[str]:
    finding = repeated.first.finding
    what = f"{kind_and_path(finding)}: {finding.message}{times(repeated)}"
    return finding.severity.label, finding.rule, what, place(finding.source), place(repeated.first.other_source)


def _change(change: Change) -> Sequence[str]:
    what = f"{kind_and_path(change)} {change.message}"
    return change.severity.label, change.change, what, *before_and_after(change)


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]], out: TextIO) -> None:
    if rows:
        lines = table(columns, ([*map(escaped, row)] for row in rows), _MOST_ROWS)
        out.write("\n" + "\n".join(lines) + "\n")
