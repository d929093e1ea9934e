"""Write a view as text."""

from __future__ import annotations

import re
from io import StringIO
from typing import TextIO

from isogloss.cli.process.terminal import console_of, table_of, uses_colours, width_of
from isogloss.cli.report_views.tables import ViewTables

__all__ = ["report"]

_BLANK_END = r"(?m)(?<! )(?: ++|\x1b\[[0-9;]*+m)++$"
"""Blanks at the end of a line, also between the escapes of colours."""
_ANY_WIDTH = 100_000
"""The columns of a pipe: no table needs more."""
_NUMBER_COLUMNS = ("exchanges", "sure", "found in", "cases", "runs")


def report(view: ViewTables, out: TextIO) -> None:
    """Write the tables, the lines of evidence, what was skipped, and the view in one line.

    For a terminal, the tables are as wide as it is.
    """
    from rich.text import Text

    text = StringIO()
    width = width_of(out)
    console = console_of(text, width or _ANY_WIDTH, colours=uses_colours(out))
    for table in view.tables:
        console.print(Text(f"{table.title}:", style="bold"), Text(table.about, style="dim"))
        columns, rows = [Text(column) for column in table.columns], [[Text(cell) for cell in row] for row in table.rows]
        for part in table_of(columns, rows, width, numbers=_NUMBER_COLUMNS):
            console.print(part)
        console.print()
    for exchange, candidate_lines in view.evidence:
        console.print(Text(exchange, style="bold"), soft_wrap=True)
        for line in candidate_lines:
            console.print(Text("  " + line), soft_wrap=True)
    for line in view.skipped:
        console.print(Text.assemble(("skipped", "magenta"), f": {line}"), soft_wrap=True)
    console.print(Text(view.heading, style="bold"))
    out.write(re.sub(_BLANK_END, lambda end: end[0].replace(" ", ""), text.getvalue()))
