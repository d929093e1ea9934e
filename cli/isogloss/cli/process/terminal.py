"""Write for people: with colours if they are wanted, and on a terminal with wrapped lines and rendered pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["Line", "color_option", "console_of", "uses_colours", "width_of", "write", "write_markdown", "write_plain"]

Line: TypeAlias = Sequence[tuple[str, str]]
"""A line of output: its texts, each with its style."""

_NARROWEST = 40
_WIDEST_PAGE = 100
"""The most columns of a page. Longer lines are hard to read."""
_HANGING_INDENT = 4
"""Columns by which the rest of a wrapped line is indented."""
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
    """Return whether text for a stream is to be coloured."""
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
            out.write("".join(text for text, _ in line) + "\n")
        return
    from rich.text import Text

    console = console_of(out, width, colours=colours)
    for line in lines:
        text = Text.assemble(*line)
        if width is None or text.cell_len <= width:
            console.print(text, soft_wrap=True)
            continue
        for part in _wrap(text, console, width):
            console.print(part, soft_wrap=True)


def write_plain(lines: Iterable[str], out: TextIO) -> None:
    """Write lines without styles, wrapped on a terminal like those of :func:`write`."""
    write([[(line, "")] for line in lines], out)


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
    from rich.markdown import Markdown

    console = console_of(out, min(width, _WIDEST_PAGE), colours=colours)
    console.print(Markdown(page, code_theme="ansi_dark", hyperlinks=False))


def console_of(out: TextIO, width: int | None, *, colours: bool) -> Console:
    """Make a console of rich that writes to a stream with this number of columns.

    The width is ``None`` for lines that are not to be wrapped.
    """
    from rich.console import Console
    from rich.theme import Theme

    return Console(
        file=out,
        width=width,
        force_terminal=True,
        color_system="standard" if colours else None,
        no_color=not colours,
        highlight=False,
        theme=Theme(_PAGE_STYLES),
    )
