"""Write for people: with colours if they are wanted, and on a terminal with wrapped lines and rendered pages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TextIO, TypeAlias

import click

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.text import Text

__all__ = [
    "Line", "aligned", "color_option", "console_of", "table_of", "uses_colours", "width_of", "write", "write_markdown",
    "write_plain",
]  # fmt: skip

Line: TypeAlias = Sequence[tuple[str, str]]
"""A line of output: its texts, each with its style."""

_NARROWEST = 40
_WIDEST_PAGE = 100
"""The most columns of a page. Longer lines are hard to read."""
_HEIGHT = 25
"""The lines of a console. Nothing here depends on them."""
_HANGING_INDENT = 4
"""Columns by which the rest of a wrapped line is indented."""
_PIPE_WIDTH = 160
"""The columns of a table in a pipe, unless a long word needs more."""
_GAP = 3
"""Columns between two cells of a table."""
_PAGE_STYLES = {"markdown.code": "cyan", "markdown.code_block": "none", "markdown.item.bullet": "bold"}


def color_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--color`` to a command."""

    def set_color(ctx: click.Context, param: click.Parameter, value: str) -> None:
        ctx.color = {"auto": None, "always": True, "never": False}[value]

    return click.option(
        "--color",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        show_default=True,
        expose_value=False,
        callback=set_color,
        help="Whether to colour text; auto does on a terminal unless NO_COLOR is set, and elsewhere if FORCE_COLOR is.",
    )(command)


def uses_colours(out: TextIO) -> bool:
    """Return whether text for a stream is to be coloured. Only standard output and standard error ever are."""
    if out is not sys.stdout and out is not sys.stderr:
        return False
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.color is not None:
        return ctx.color
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (out.isatty() and os.environ.get("TERM") != "dumb")


def width_of(out: TextIO) -> int | None:
    """Return the columns of a terminal, or ``None`` for a pipe or a file, where no line is wrapped."""
    if not out.isatty():
        return None
    import shutil  # slow to import: it loads every kind of compression

    return max(_NARROWEST, shutil.get_terminal_size().columns)


def write(lines: Iterable[Line], out: TextIO) -> None:
    """Write lines. Their styles are used if colours are wanted.

    On a terminal, lines are wrapped between words at its width.
    """
    width, colours = width_of(out), uses_colours(out)
    if width is None and not colours:
        for line in lines:
            out.write("".join(text for text, _ in line).rstrip(" ") + "\n")
        return
    from rich.text import Text

    console = console_of(out, width, colours=colours)
    for line in lines:
        text = Text.assemble(*line)
        text.rstrip()
        if width is None or text.cell_len <= width:
            console.print(text, soft_wrap=True)
            continue
        for part in _wrap(text, console, width):
            console.print(part, soft_wrap=True)


def write_plain(lines: Iterable[str], out: TextIO) -> None:
    """Write lines without styles, wrapped on a terminal like those of :func:`write`."""
    write([[(line, "")] for line in lines], out)


def aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield each row as a line, in which every cell but the last is as wide as the widest of its column."""
    all_rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*all_rows, strict=True)]
    for *cells, last in all_rows:
        yield "  ".join((*(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False)), last))


def _wrap(text: Text, console: Console, width: int) -> Iterator[Text]:
    """Yield the lines of a text that is too wide. All lines but the first are indented."""
    indent = " " * (len(text.plain) - len(text.plain.lstrip()) + _HANGING_INDENT)
    first = text.wrap(console, width)[0]
    first.rstrip()
    yield first
    end = len(first.plain)
    rest = text[end + len(text.plain[end:]) - len(text.plain[end:].lstrip()) :]
    for part in rest.wrap(console, width - len(indent)):
        part.rstrip()
        part.pad_left(len(indent))
        yield part


def write_markdown(page: str, out: TextIO) -> None:
    """Write a page in Markdown. On a terminal it is rendered, elsewhere it is written as it is."""
    width, colours = width_of(out), uses_colours(out)
    if width is None:
        out.write(page)
        return
    from rich.markdown import Markdown, TableElement

    class Table(TableElement):
        """Prints a table of the page without cutting its cells."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            cells = [[cell.content for cell in row.cells] for row in (self.body.rows if self.body else ())]
            header = self.header.row.cells if self.header and self.header.row else ()
            yield from table_of([cell.content for cell in header], cells, options.max_width)

    class Page(Markdown):
        elements: ClassVar = {**Markdown.elements, "table_open": Table}

    console = console_of(out, min(width, _WIDEST_PAGE), colours=colours)
    console.print(Page(page, code_theme="ansi_dark", hyperlinks=False))


def table_of(
    columns: Sequence[Text], rows: Sequence[Sequence[Text]], width: int | None, *, numbers: Collection[str] = ()
) -> Iterator[RenderableType]:
    """Yield a table for so many columns of a terminal, or its rows as lines if it would have to break words.

    A line begins with the first two cells of its row. The others follow, each with the name of its column. ``numbers``
    are the names of the columns whose cells are aligned to the right. Without a width, for a pipe, the table is as wide
    as it has to be to break no word.
    """
    from rich import box
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    widths = _widths(columns, rows, width)
    if widths is not None:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column, column_width in zip(columns, widths, strict=True):
            justify: Literal["left", "right"] = "right" if column.plain in numbers else "left"
            table.add_column(column, overflow="fold", justify=justify, width=column_width)
        for row in rows:
            table.add_row(*row)
        yield table
        return
    for row in rows:
        yield Text("  ").join(cell for cell in row[:2] if cell.plain)
        named_cells = zip(columns[2:], row[2:], strict=True)
        if rest := [Text(f"{column.plain}: ") + cell for column, cell in named_cells if cell.plain]:
            yield Padding(Text("; ").join(rest), (0, 0, 0, _HANGING_INDENT))


def _widths(columns: Sequence[Text], rows: Sequence[Sequence[Text]], width: int | None) -> list[int] | None:
    """Return the width of each column, so that no word is broken, or ``None`` if a terminal is too narrow for that."""
    cells = [[cell.plain for cell in column] for column in zip(columns, *rows, strict=True)]
    widths = [max(len(word) for cell in column for word in cell.split() or [""]) for column in cells]
    least = sum(widths) + _GAP * (len(widths) - 1)
    rest = (width if width is not None else max(least, _PIPE_WIDTH)) - least
    if rest < 0:
        return None
    for number, column in enumerate(cells):
        more = min(rest, max(map(len, column)) - widths[number])
        widths[number] += more
        rest -= more
    return widths


def console_of(out: TextIO, width: int | None, *, colours: bool) -> Console:
    """Make a console of rich that writes to a stream with this number of columns.

    The width is ``None`` for lines that are not to be wrapped. With a size of its own, the console asks neither the
    environment nor the terminal for one: of ``COLUMNS=0`` rich makes a console without columns, and prints nothing.
    """
    from rich.console import Console
    from rich.theme import Theme

    return Console(
        file=out,
        width=_WIDEST_PAGE if width is None else width,
        height=_HEIGHT,
        force_terminal=True,
        color_system="standard" if colours else None,
        no_color=not colours,
        highlight=False,
        theme=Theme(_PAGE_STYLES),
    )
