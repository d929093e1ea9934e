"""JSON Lines: each finding as it is found, then what was skipped, and the summary last.

Objects are those of the JSON report, with a ``type`` of ``finding``, ``skipped`` or ``summary``. Nothing is held back,
so a run may be of any size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

import orjson

from isogloss.cli.reporters import json_report
from isogloss.cli.summary import Run
from isogloss.validator.findings import Finding

__all__ = ["Lines", "report"]


def report(run: Run, out: TextIO) -> None:
    """Write all lines of a run whose findings were kept."""
    lines = Lines(out)
    lines.add(run.findings)
    lines.end(run)


class Lines:
    """The lines of a run, written as they come."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def add(self, found: Iterable[Finding]) -> None:
        """Write one line for each finding."""
        for finding in found:
            _line("finding", json_report.entry(finding), self._out)

    def end(self, run: Run) -> None:
        """Write what comes after the findings: a line for each part that was skipped, and one with the summary."""
        for skip in run.skipped:
            _line("skipped", json_report.skipped(skip), self._out)
        _line("summary", json_report.summary(run), self._out)


def _line(kind: str, value: dict[str, Any], out: TextIO) -> None:
    out.write(orjson.dumps({"type": kind} | value, option=orjson.OPT_APPEND_NEWLINE).decode())
    out.flush()
