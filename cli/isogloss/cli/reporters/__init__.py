"""Write a report in one of the output formats.

Each format has a module, which is imported when the format is used. The module holds ``report(run, out)``. If the
format can be written while a run goes on, the module also holds a class ``Lines``.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Protocol, TextIO

from msgspec import Struct

from isogloss.cli.checking.run_settings import Keep
from isogloss.cli.checking.summary import Run
from isogloss.validator.findings import Finding

__all__ = [
    "FORMATS", "SHOWING_VALUES", "Lines", "OutputFormat", "format_of", "lines", "report", "shows_contexts",
    "shows_impact", "what_to_keep",
]  # fmt: skip


class OutputFormat(Struct, frozen=True):
    """An output format: the name of its module, and what its reports show.

    * ``groups``: it joins findings with the same message at the same path.
    * ``shows_contexts``: it shows what stands at the places of findings.
    * ``frames_notes_once``: of the notes of a rule in a file, it shows this for the first one alone.
    * ``shows_impact``: it shows by default which clients were seen to break.
    * ``shows_survey``: it shows which dialects are spoken.
    * ``shows_values``: it can quote the values at the places of findings. The other formats are published.
    """

    module: str
    groups: bool = False
    shows_contexts: bool = False
    frames_notes_once: bool = False
    shows_impact: bool = False
    shows_survey: bool = False
    shows_values: bool = False


FORMATS = {
    "text": OutputFormat("text", groups=True, shows_contexts=True, frames_notes_once=True, shows_values=True),
    "json": OutputFormat("json_report", shows_impact=True, shows_values=True),
    "jsonl": OutputFormat("jsonl", shows_impact=True, shows_values=True),
    "sarif": OutputFormat("sarif", shows_impact=True),
    "junit": OutputFormat("junit"),
    "github": OutputFormat("github", groups=True, shows_contexts=True, frames_notes_once=True),
    "gitlab": OutputFormat("gitlab"),
    "markdown": OutputFormat("markdown", groups=True, shows_impact=True),
    "html": OutputFormat("page", groups=True, shows_contexts=True, shows_impact=True, shows_survey=True),
}
"""The output formats, by name."""

SHOWING_VALUES = tuple(name for name, one in FORMATS.items() if one.shows_values)
"""The names of the formats that can quote values."""


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
    if _is_written_meanwhile(name, detail):
        writer: Lines = _module(name).Lines(out)
        return writer
    return None


def _is_written_meanwhile(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail is written while a run goes on."""
    return name == "jsonl" or (name == "text" and detail == "verbose")


def shows_contexts(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail shows what stands at the places of findings.

    Verbose output has a line for each finding. Only a page still shows it.
    """
    return format_of(name).shows_contexts and (detail != "verbose" or name == "html")


def shows_impact(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail shows what clients were seen to break on by default.

    Other outputs show it only if the user wants it.
    """
    return format_of(name).shows_impact or (name == "text" and detail == "verbose")


def what_to_keep(name: str, detail: str) -> Keep:
    """Return what a :class:`~isogloss.cli.checking.summary.Run` has to keep for an output in this format and detail."""
    if _is_written_meanwhile(name, detail):
        return "none"
    if name == "text" and detail == "quiet":
        return "failing"
    return "first" if detail == "usual" and format_of(name).groups else "all"


def report(name: str, run: Run, out: TextIO) -> None:
    """Write the results of a run in a format. Raises ``KeyError`` for an unknown format."""
    _module(name).report(run, out)


def _module(name: str) -> ModuleType:
    return import_module(f"isogloss.cli.reporters.{FORMATS[name].module}")


def format_of(name: str) -> OutputFormat:
    """Return the format with this name. One of ``isogloss probe`` alone, such as a badge, shows nothing of this."""
    return FORMATS.get(name, OutputFormat(name))
