"""Render the view of dialects for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING, Literal, TextIO

from isogloss.cli.checking.survey import Survey
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.process.terminal import console_of, uses_colours, width_of
from isogloss.cli.report_views.tables import Table as Cells
from isogloss.cli.report_views.tables import evidence_lines, heading, tables

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_view", "render"]

_PIPE_WIDTH = 160
_GAP = 3
"""Columns between two cells of a table."""
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
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out = StringIO()
    width = width_of(stream) if stream is not None else None
    console = console_of(out, width or _PIPE_WIDTH, colours=stream is not None and uses_colours(stream))
    for table in tables:
        console.print(Text(f"{table.title}:", style="bold"), Text(table.about, style="dim"))
        widths = _widths(table, width) if width is not None else [None] * len(table.columns)
        if widths is None:
            _print_rows(table, console)
            continue
        rich_table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column, column_width in zip(table.columns, widths, strict=True):
            justify: Literal["left", "right"] = "right" if column in _NUMBER_COLUMNS else "left"
            rich_table.add_column(column, overflow="fold", justify=justify, width=column_width)
        for row in table.rows:
            rich_table.add_row(*(Text(cell) for cell in row))
        console.print(rich_table)
        console.print()
    for exchange, candidate_lines in evidence:
        console.print(Text(exchange, style="bold"), soft_wrap=True)
        for line in candidate_lines:
            console.print(Text("  " + line), soft_wrap=True)
    for line in skipped:
        console.print(Text.assemble(("skipped", "magenta"), f": {line}"), soft_wrap=True)
    console.print(Text(summary, style="bold"), soft_wrap=True)
    return out.getvalue()


def _widths(table: Cells, width: int) -> list[int | None] | None:
    """Return the width of each column, so that no word is broken, or ``None`` if a terminal is too narrow for that."""
    columns = list(zip(table.columns, *table.rows, strict=True))
    widths = [max(len(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    rest = width - sum(widths) - _GAP * (len(widths) - 1)
    if rest < 0:
        return None
    for number, cells in enumerate(columns):
        more = min(rest, max(map(len, cells)) - widths[number])
        widths[number] += more
        rest -= more
    return [*widths]


def _print_rows(table: Cells, console: Console) -> None:
    """Print each row as lines of its own: its first two cells, and the others with the names of their columns."""
    from rich.padding import Padding
    from rich.text import Text

    for row in table.rows:
        console.print(Text("  ".join(row[:2]).rstrip()))
        if rest := [f"{column} {cell}" for column, cell in zip(table.columns[2:], row[2:], strict=True) if cell]:
            console.print(Padding(Text(", ".join(rest)), (0, 0, 0, 4)))
    console.print()
