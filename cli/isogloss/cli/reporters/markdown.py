"""Write Markdown for a job summary or a comment on a change: one table of findings, and what was skipped."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.checking.groups import FindingGroup
from isogloss.cli.checking.summary import Run
from isogloss.cli.elements.markdown import escaped, table
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.reporters.text import gone_as_text, rates_as_text, seen_to_break, summary
from isogloss.validator.quoting import count_of

__all__ = ["report"]

_MOST_ENTRIES = 500
"""The largest number of rows or list items. A job summary may have at most one megabyte."""


def report(run: Run, out: TextIO) -> None:
    """Write headings and tables."""
    out.writelines(["# isogloss\n", *(f"\n{escaped(line)}\n" for line in (summary(run), *rates_as_text(run)))])
    if groups := run.groups():
        columns = ("severity", "rule", "what", "first", "times", "rate of the rule")
        out.write("\n" + "\n".join(table(columns, map(_cells, groups), _MOST_ENTRIES)) + "\n")
    if gone := gone_as_text(run.known):
        out.write(f"\n## Baseline\n\n{escaped(gone[0])}\n\n")
        _write_list(gone[1:], out)
    if skipped := skipped_lines(run.skipped, run.checked):
        out.write("\n## Skipped\n\n")
        _write_list(skipped, out)


def _write_list(items: list[str], out: TextIO) -> None:
    out.writelines(f"* {escaped(item)}\n" for item in items[:_MOST_ENTRIES])


def _cells(group: FindingGroup) -> list[str]:
    """Return the row of findings with the same message at the same path: the first one, and how many there are."""
    first = group.first
    files = len(group.files)
    known = f" (known in {', '.join(sorted(group.dialects))})" if group.dialects else ""
    broken = f"; {broken_clients}" if (broken_clients := seen_to_break(first)) else ""
    what = f"{kind_and_path(first)}: {first.message}{known}{broken}"
    times = f"{group.count} in {count_of(files, 'file')}" if files > 1 else str(group.count)
    return [*map(escaped, (first.severity.label, first.rule, what, place(first.source), times, str(group.rate or "")))]
