"""Render the view of dialects for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import TextIO

from isogloss.cli.checking.survey import Survey
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.process.terminal import console_of, table_of, uses_colours, width_of
from isogloss.cli.report_views.tables import Table as Cells
from isogloss.cli.report_views.tables import evidence_lines, heading, tables

__all__ = ["print_view", "render"]

_PIPE_WIDTH = 160
_NUMBER_COLUMNS = ("exchanges", "sure", "found in", "cases", "runs")


def render(survey: Survey, stream: TextIO | None = None) -> str:
    """Return the report as tables.

    For a terminal, they are as wide as it is. Colours are used if the stream wants them. Without a stream, they are for
    a file.
    """
    skipped = skipped_lines(survey.skipped, survey.checked)
    return print_view(tables(survey), heading(survey), skipped, evidence_lines(survey), stream=stream)


def print_view(
    tables: Iterable[Cells],
    summary: str,
    skipped: Iterable[str],
    evidence: Iterable[tuple[str, list[str]]] = (),
    *,
    stream: TextIO | None,
) -> str:
    """Return the tables of a view, the lines of evidence below them, what was skipped, and the line that sums it up."""
    from rich.text import Text

    out = StringIO()
    width = width_of(stream) if stream is not None else None
    console = console_of(out, width or _PIPE_WIDTH, colours=stream is not None and uses_colours(stream))
    for table in tables:
        console.print(Text(f"{table.title}:", style="bold"), Text(table.about, style="dim"))
        columns, rows = [Text(column) for column in table.columns], [[Text(cell) for cell in row] for row in table.rows]
        for part in table_of(columns, rows, width, numbers=_NUMBER_COLUMNS):
            console.print(part)
        console.print()
    for exchange, candidate_lines in evidence:
        console.print(Text(exchange, style="bold"), soft_wrap=True)
        for line in candidate_lines:
            console.print(Text("  " + line), soft_wrap=True)
    for line in skipped:
        console.print(Text.assemble(("skipped", "magenta"), f": {line}"), soft_wrap=True)
    console.print(Text(summary, style="bold"), soft_wrap=True)
    return out.getvalue()
