"""Render the view of dialects as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isogloss.cli.checking.survey import Survey
from isogloss.cli.elements.markdown import escaped
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.report_views.tables import Table, evidence_lines, heading, tables

__all__ = ["render", "write_page"]


def render(survey: Survey) -> str:
    """Return the report as headings and tables."""
    skipped = skipped_lines(survey.skipped, survey.checked)
    return write_page("Dialects", heading(survey), tables(survey), skipped, evidence_lines(survey))


def write_page(
    title: str,
    summary: str,
    tables: Iterable[Table],
    skipped: Sequence[str],
    evidence: Iterable[tuple[str, list[str]]] = (),
) -> str:
    """Return a page: a title, the line that sums up a view, what was skipped, the tables, and the lines of evidence."""
    lines = [f"# {title}", "", escaped(summary), "", *(f"* skipped: {escaped(line)}" for line in skipped)]
    lines += [""] if skipped else []
    for table in tables:
        lines += [f"## {table.title}", "", table.about, "", _row(table.columns), _row(("---",) * len(table.columns))]
        lines += [_row(tuple(map(escaped, row))) for row in table.rows]
        lines.append("")
    for exchange, candidate_lines in evidence:
        lines += [f"* {escaped(exchange)}", *(f"    * {escaped(line)}" for line in candidate_lines)]
    return "\n".join(lines).rstrip() + "\n"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
