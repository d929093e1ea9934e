"""Write Markdown for a job summary or a comment on a change: one table of findings, and what was skipped."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.checking.summary import Run
from isogloss.cli.elements.markdown import escaped, table
from isogloss.cli.reporters.tables import Row, rows, skipped
from isogloss.cli.reporters.text import summary
from isogloss.validator.quoting import count_of

__all__ = ["report"]

_MOST_ENTRIES = 500
"""The largest number of rows or list items. A job summary may have at most one megabyte."""


def report(run: Run, out: TextIO) -> None:
    """Write headings and tables."""
    out.write(f"# isogloss\n\n{escaped(summary(run))}\n")
    if all_rows := rows(run):
        lines = table(
            ("severity", "rule", "what", "first", "times", "rate of the rule"), map(_cells, all_rows), _MOST_ENTRIES
        )
        out.write("\n" + "\n".join(lines) + "\n")
    skipped_lines = skipped(run)
    if skipped_lines:
        out.write("\n## Skipped\n\n")
    for reason in skipped_lines[:_MOST_ENTRIES]:
        out.write(f"* {escaped(reason)}\n")


def _cells(row: Row) -> list[str]:
    times = f"{row.times} in {count_of(row.files, 'file')}" if row.files > 1 else str(row.times)
    known = f" (known in {row.dialects})" if row.dialects else ""
    broken = f"; {row.broken}" if row.broken else ""
    cells = (row.severity, row.rule, f"{row.what}: {row.message}{known}{broken}", row.first, times, row.rate)
    return [*map(escaped, cells)]
