"""Output formats, one module each, imported when it is used. A module holds ``report(run, out)``.

One that can be written while a run goes on holds a class ``Lines``, too.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TextIO

import click

from isogloss.cli import output
from isogloss.cli.summary import Run
from isogloss.validator.findings import Finding
from isogloss.validator.suggesting import closest

if TYPE_CHECKING:
    from isogloss.cli.report_views.survey import Survey

__all__ = [
    "FORMATS",
    "SHOWING_VALUES",
    "Lines",
    "OutputFile",
    "keeps",
    "lines",
    "report",
    "shows_contexts",
    "shows_impact",
    "survey",
    "write",
]

FORMATS = {
    "text": "text",
    "json": "json_report",
    "jsonl": "jsonl",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "gitlab": "gitlab",
    "markdown": "markdown",
    "html": "page",
}
"""The name of each format and its module."""

_GROUPED = frozenset({"text", "github", "markdown", "html"})
"""Formats that report findings by groups of those that say the same."""

_SHOWING_IMPACT = frozenset({"json", "jsonl", "sarif", "markdown", "html"})

SHOWING_VALUES = ("text", "json", "jsonl")
"""Those that quote what stands at a place, if asked to. The others are published, and quote nothing."""


class Lines(Protocol):
    """An output that is written while a run goes on."""

    def add(self, found: Iterable[Finding]) -> None:
        """Take findings, in order."""

    def end(self, run: Run) -> None:
        """Write what comes after the findings."""


def lines(name: str, detail: str, out: TextIO) -> Lines | None:
    """Make the output in this format and detail that is written while a run goes on.

    Return ``None`` if the output waits for the end of the run.
    """
    if name == "jsonl" or (name == "text" and detail == "verbose"):
        written: Lines = import_module(f"isogloss.cli.reporters.{FORMATS[name]}").Lines(out)
        return written
    return None


def shows_contexts(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail shows what stands at the places of findings."""
    return name == "html" or (name in ("text", "github") and detail != "verbose")


def shows_impact(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail shows what clients were seen to break on by default.

    Other outputs show it only if the user wants it.
    """
    return name in _SHOWING_IMPACT or (name == "text" and detail == "verbose")


def survey(names: Iterable[str]) -> Survey | None:
    """Make an empty survey if one of these formats shows which dialects are spoken; else return ``None``."""
    if "html" not in names:
        return None
    from isogloss.cli.report_views.survey import Survey

    return Survey({})


def keeps(name: str, detail: str) -> Literal["all", "first", "none"]:
    """Return what a :class:`~isogloss.cli.summary.Run` has to keep for the output in this format and detail.

    It is ``all`` findings, or the ``first`` of those that say the same, or ``none``.
    """
    if detail == "usual" and name in _GROUPED:
        return "first"
    return "none" if name == "jsonl" or (name == "text" and detail == "verbose") else "all"


class OutputFile(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """``FORMAT:FILE``, as the name of the format and the path."""

    name = "output"

    def __init__(self, formats: Collection[str] = FORMATS) -> None:
        self._formats = formats

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        """Return the name of the format and the path.

        Fail for an unknown format, and name the nearest one. Fail also for a folder that does not exist, and for a path
        that is a folder itself.
        """
        name, colon, file = str(value).partition(":")
        if not colon or not file:
            self.fail(f"{value!r} is not FORMAT:FILE, like sarif:isogloss.sarif", param, ctx)
        if name not in self._formats:
            near = closest(name, self._formats)
            hint = f"did you mean {near!r}?" if near else f"known are {', '.join(self._formats)}"
            self.fail(f"no format is called {name!r}; {hint}", param, ctx)
        path = Path(file)
        taken = os.path.isdir(path)
        if taken or not os.path.isdir(path.parent):
            self.fail(f"{file!r} cannot be a file: {'a' if taken else 'not in a'} directory", param, ctx)
        return name, path


def report(name: str, run: Run, out: TextIO) -> None:
    """Write the results of a run in a format. Raises ``KeyError`` for an unknown format."""
    import_module(f"isogloss.cli.reporters.{FORMATS[name]}").report(run, out)


def write(name: str, run: Run, path: Path) -> None:
    """Write the results of a run to a file, which appears once it is complete. Raises ``click.UsageError``."""
    with output.replacing(path) as out:
        report(name, run, out)
