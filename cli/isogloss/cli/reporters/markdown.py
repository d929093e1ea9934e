"""Write Markdown for a job summary or a comment on a change: one table of findings, and what was skipped."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.checking.summary import Run
from isogloss.cli.elements.markdown import escaped
from isogloss.cli.reporters.tables import rows, skipped
from isogloss.cli.reporters.text import summary
from isogloss.validator.quoting import count_of

__all__ = ["report"]

_MOST_ENTRIES = 500
"""The largest number of rows or list items. A job summary may have at most one megabyte."""


def report(run: Run, out: TextIO) -> None:
    """Write headings and tables."""
    out.write(f"# isogloss\n\n{escaped(summary(run))}\n")
    all_rows = rows(run)
    if all_rows:
        out.write(
            "\n| severity | rule | what | first | times | rate of the rule |\n| --- | --- | --- | --- | --- | --- |\n"
        )
    for row in all_rows[:_MOST_ENTRIES]:
        times = f"{row.times} in {count_of(row.files, 'file')}" if row.files > 1 else str(row.times)
        known = f" (known in {row.dialects})" if row.dialects else ""
        broken = f"; {row.broken}" if row.broken else ""
        cells = (row.severity, row.rule, f"{row.what}: {row.message}{known}{broken}", row.first, times, row.rate)
        out.write(f"| {' | '.join(map(escaped, cells))} |\n")
    if len(all_rows) > _MOST_ENTRIES:
        out.write(f"\n{len(all_rows) - _MOST_ENTRIES:,} more are not listed here.\n")
    skipped_lines = skipped(run)
    if skipped_lines:
        out.write("\n## Skipped\n\n")
    for reason in skipped_lines[:_MOST_ENTRIES]:
        out.write(f"* {escaped(reason)}\n")
