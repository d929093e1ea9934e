"""Write a view as Markdown."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.elements.markdown import escaped
from isogloss.cli.report_views.tables import Shown

__all__ = ["report"]


def report(view: Shown, out: TextIO) -> None:
    """Write a title, the view in one line, what was skipped, the tables, and the lines of evidence."""
    lines = [
        f"# {view.title}",
        "",
        escaped(view.heading),
        "",
        *(f"* skipped: {escaped(line)}" for line in view.skipped),
    ]
    lines += [""] if view.skipped else []
    for table in view.tables:
        lines += [f"## {table.title}", "", table.about, "", _row(table.columns), _row(("---",) * len(table.columns))]
        lines += [_row(tuple(map(escaped, row))) for row in table.rows]
        lines.append("")
    for exchange, candidate_lines in view.evidence:
        lines += [f"* {escaped(exchange)}", *(f"    * {escaped(line)}" for line in candidate_lines)]
    out.write("\n".join(lines).rstrip() + "\n")


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
