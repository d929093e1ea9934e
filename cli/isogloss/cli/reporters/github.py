"""Report to GitHub Actions: annotations on the lines of captures, the text report in the log, and a job summary.

For each step, GitHub shows at most ten annotations of each level. Therefore findings with the same message at the same
path share one annotation. If ``GITHUB_STEP_SUMMARY`` is set, the Markdown report is appended to that file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import click

from isogloss.cli.checking.fingerprints import relative_path
from isogloss.cli.checking.groups import FindingGroup
from isogloss.cli.checking.summary import Run
from isogloss.cli.reporters import markdown, text
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

__all__ = ["report"]

_MOST_ANNOTATIONS = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def report(run: Run, out: TextIO, page: Callable[[TextIO], None] | None = None) -> None:
    """Write the annotations and the text report. Append to the job summary if there is one.

    ``page`` writes another job summary than the Markdown report of the run.
    """
    show_impact = run.settings.show_impact
    groups = run.groups(failing=run.settings.detail == "quiet", show_impact=show_impact)
    for severity, command in _COMMANDS.items():
        for group in [each for each in groups if each.first.severity is severity][:_MOST_ANNOTATIONS]:
            out.write(_annotation(command, group, show_impact=show_impact) + "\n")
    log = io.StringIO()
    text.report(run, log)
    # In text, no line begins with ::, so only the older form of workflow commands is left to be changed.
    out.writelines(line.replace("##[", "## [") for line in log.getvalue().splitlines(keepends=True))
    if summary_file := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary_file).open("a", encoding="utf-8") as summary:
                markdown.report(run, summary) if page is None else page(summary)
        except OSError as error:
            raise click.UsageError(f"cannot write to GITHUB_STEP_SUMMARY: {error.strerror or error}") from error


def _annotation(command: str, group: FindingGroup, *, show_impact: bool) -> str:
    first = group.first
    properties = {
        "file": printable(relative_path(first.source.file, Path.cwd())),
        "line": str(first.source.line),
        "col": str(first.source.column),
        "title": f"isogloss {first.rule}",
    }
    property_list = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    message = f"{text.message(first)} {text.frequency(group)}".rstrip()
    if show_impact and (broken_clients := text.seen_to_break(first)):
        message += f"; {broken_clients}"
    return f"::{command} {property_list}::{_escape_data(message)}"


def _escape_data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(value: str) -> str:
    return _escape_data(value).replace(":", "%3A").replace(",", "%2C")
