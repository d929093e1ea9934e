"""Render the view of dialects as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from isogloss.cli.report_views.survey import Survey
from isogloss.cli.report_views.tables import Table, evidence_lines, heading, tables
from isogloss.cli.reporters.skipping import skipped_lines

__all__ = ["escaped", "render", "write_page"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, also in a table cell."""
    return _SPECIAL.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")


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
