"""Write a view as Markdown."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.elements.markdown import escaped, table
from isogloss.cli.report_views.tables import ViewTables

__all__ = ["report"]


def report(view: ViewTables, out: TextIO) -> None:
    """Write a title, the view in one line, what was skipped, the tables, and the lines of evidence."""
    lines = [
        f"# {view.title}",
        "",
        escaped(view.heading),
        "",
        *(f"* skipped: {escaped(line)}" for line in view.skipped),
    ]
    lines += [""] if view.skipped else []
    for part in view.tables:
        rows = ([*map(escaped, row)] for row in part.rows)
        lines += [f"## {part.title}", "", part.about, "", *table(part.columns, rows), ""]
    for exchange, candidate_lines in view.evidence:
        lines += [f"* {escaped(exchange)}", *(f"    * {escaped(line)}" for line in candidate_lines)]
    out.write("\n".join(lines).rstrip() + "\n")
