"""Write JSON Lines: each finding as soon as it is found, then the skipped parts, and last the summary.

The objects are those of the JSON report, with a ``type`` of ``finding``, ``skipped`` or ``summary``. Their schema is
``isogloss/schemas/report/line-v1.json``. No finding is kept in memory, so a run may have any size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

import orjson

from isogloss.cli.checking.summary import Run
from isogloss.cli.reporters import json_report
from isogloss.validator.findings import Finding

__all__ = ["Lines", "report"]


def report(run: Run, out: TextIO) -> None:
    """Write all lines of a run whose findings were kept."""
    lines = Lines(out)
    lines.add(run.findings)
    lines.end(run)


class Lines:
    """Writes the lines of a run while the run goes on."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def add(self, found: Iterable[Finding]) -> None:
        """Write one line for each finding, all at once."""
        self._write(_line("finding", json_report.entry(finding)) for finding in found)

    def end(self, run: Run) -> None:
        """Write what comes after the findings: a line for each part that was skipped, and one with the summary."""
        self._write(_line("skipped", json_report.skipped(skip)) for skip in run.skipped)
        self._write([_line("summary", json_report.summary(run))])

    def _write(self, lines: Iterable[bytes]) -> None:
        self._out.write(b"".join(lines).decode())
        self._out.flush()


def _line(kind: str, value: dict[str, Any]) -> bytes:
    return orjson.dumps({"type": kind} | value, option=orjson.OPT_APPEND_NEWLINE)
