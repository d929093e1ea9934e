"""Where reports go, and in which formats: the options of all commands that write reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TextIO, TypeVar

import click

from isogloss.cli.configuration.option_groups import Decorator, join
from isogloss.cli.configuration.parameters import Parameter
from isogloss.cli.process import output
from isogloss.cli.reading.targets import problem_of_target
from isogloss.validator.suggesting import unknown

__all__ = ["OutputFile", "format_option", "output_options", "text_or_json_option", "write_files"]

_Results = TypeVar("_Results")


class OutputFile(Parameter):
    """A parameter ``FORMAT:FILE``. Its value is the name of the format and the path."""

    name = "output"

    def __init__(self, formats: Collection[str]) -> None:
        self._formats = formats

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        """Return the name of the format and the path.

        Fail for an unknown format, and name the nearest one. Fail also for a file that cannot be written, and for the
        one that standard output goes to.
        """
        name, colon, file = str(value).partition(":")
        if not colon or not file:
            ending = Path(name).suffix[1:]
            example = f"{ending}:{name}" if ending in self._formats else "html:report.html"
            self.fail(f"{value!r} is not FORMAT:FILE, like {example}", param, ctx)
        if name not in self._formats:
            self.fail(unknown("format", name, self._formats), param, ctx)
        if file == "-":
            self.fail(f"- is not a file; --format {name} writes to standard output", param, ctx)
        path = Path(file)
        if problem := problem_of_target(path):
            self.fail(f"{file!r} {problem}", param, ctx)
        if output.is_standard_output(path):
            self.fail(f"{file!r} is the standard output, which has a report already: use --format {name}", param, ctx)
        return name, path


def format_option(formats: Collection[str], description: str) -> Decorator:
    """Return a decorator that adds the option ``--format`` to a command, as ``output_format``."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(tuple(formats)),
        default="text",
        show_default=True,
        help=description,
    )


text_or_json_option = format_option(("text", "json"), "The format of the output.")
"""Adds ``--format`` to a command that lists or shows what isogloss knows."""


def output_options(formats: Collection[str]) -> Decorator:
    """Return a decorator that adds the options ``--format`` and ``--output`` to a command that has these formats."""
    return join(
        format_option(formats, "The format of the report on standard output."),
        click.option(
            "--output",
            "outputs",
            type=OutputFile(formats),
            multiple=True,
            metavar="FORMAT:FILE",
            help="Also write the report to a file, in this format. May be repeated.",
        ),
    )


def write_files(
    report: Callable[[str, _Results, TextIO], None], results: _Results, outputs: Iterable[tuple[str, Path]]
) -> None:
    """Write a report on the results to each file, in its format. A file appears once it is complete."""
    for name, path in outputs:
        with output.open_atomic(path) as out:
            report(name, results, out)
