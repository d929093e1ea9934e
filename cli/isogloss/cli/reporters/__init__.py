"""Write a report in one of the output formats.

Each format has a module, which is imported when the format is used. The module holds ``report(run, out)``. If the
format can be written while a run goes on, the module also holds a class ``Lines``.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Protocol, TextIO

from isogloss.cli.checking.run_settings import Keep
from isogloss.cli.checking.summary import Run
from isogloss.validator.findings import Finding

__all__ = [
    "FORMATS", "SHOWING_VALUES", "Lines", "lines", "report", "shows_contexts", "shows_impact", "shows_survey",
    "what_to_keep",
]  # fmt: skip

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

_GROUPING = frozenset({"text", "github", "markdown", "html"})
"""The formats that join findings with the same message at the same path into groups."""

_WITH_IMPACT = frozenset({"json", "jsonl", "sarif", "markdown", "html"})
"""The formats that show by default which clients were seen to break, at every level of detail."""

SHOWING_VALUES = ("text", "json", "jsonl")
"""The formats that can quote the values at the places of findings. The others are published, and quote no values."""


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
        writer: Lines = import_module(f"isogloss.cli.reporters.{FORMATS[name]}").Lines(out)
        return writer
    return None


def _is_written_meanwhile(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail is written while a run goes on."""
    return name == "jsonl" or (name == "text" and detail == "verbose")


def shows_contexts(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail shows what stands at the places of findings."""
    return name == "html" or (name in ("text", "github") and detail != "verbose")


def shows_impact(name: str, detail: str) -> bool:
    """Return whether the output in this format and detail shows what clients were seen to break on by default.

    Other outputs show it only if the user wants it.
    """
    return name in _WITH_IMPACT or (name == "text" and detail == "verbose")


def shows_survey(name: str) -> bool:
    """Return whether the output in this format shows which dialects are spoken."""
    return name == "html"


def what_to_keep(name: str, detail: str) -> Keep:
    """Return what a :class:`~isogloss.cli.checking.summary.Run` has to keep for an output in this format and detail."""
    if _is_written_meanwhile(name, detail):
        return "none"
    if name == "text" and detail == "quiet":
        return "failing"
    return "first" if detail == "usual" and name in _GROUPING else "all"


def report(name: str, run: Run, out: TextIO) -> None:
    """Write the results of a run in a format. Raises ``KeyError`` for an unknown format."""
    import_module(f"isogloss.cli.reporters.{FORMATS[name]}").report(run, out)
