"""The vendor-dialect report for a terminal."""

from __future__ import annotations

import os
import sys

from isogloss.cli.report_views.survey import Survey
from isogloss.cli.report_views.tables import evidence_lines, heading, tables

__all__ = ["render"]

_PIPE_WIDTH = 160


def render(survey: Survey) -> str:
    """Tables with colour on a terminal, without where output is piped or ``NO_COLOR`` is set."""
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR")
    out = StringIO()
    console = Console(file=out, force_terminal=colour, width=None if terminal else _PIPE_WIDTH, highlight=False)
    for table in tables(survey):
        console.print(Text(table.title, style="bold"), Text(table.about, style="dim"))
        shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column in table.columns:
            shown.add_column(column, overflow="fold", justify="right" if column in ("exchanges", "sure") else "left")
        for row in table.rows:
            shown.add_row(*(Text(cell) for cell in row))
        console.print(shown)
        console.print()
    for exchange, candidates in evidence_lines(survey):
        console.print(Text(exchange, style="bold"), soft_wrap=True)
        for line in candidates:
            console.print(Text("  " + line), soft_wrap=True)
    console.print(Text(heading(survey), style="bold"), soft_wrap=True)
    return out.getvalue()
