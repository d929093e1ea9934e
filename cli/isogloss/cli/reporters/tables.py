"""Make text cells for formats that a browser shows: groups of findings, and what was skipped."""

from __future__ import annotations

from typing import NamedTuple

from isogloss.cli.checking.summary import Run
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.reporters import text

__all__ = ["Row", "rows", "skipped"]


class Row(NamedTuple):
    """Findings with the same message at the same path: the place of the first one, and how many there are.

    ``broken`` says which clients were seen to break.
    """

    severity: str
    rule: str
    what: str
    message: str
    first: str
    times: int
    files: int
    dialects: str
    rate: str
    broken: str


def rows(run: Run) -> list[Row]:
    """Return a row for each group of findings, the most severe first."""
    return [
        Row(
            severity=group.first.severity.label,
            rule=group.first.rule,
            what=text.kind_and_path(group.first),
            message=group.first.message,
            first=text.place(group.first),
            times=group.count,
            files=len(group.files),
            dialects=", ".join(sorted(group.dialects)),
            rate=str(group.rate or ""),
            broken=text.seen_to_break(group.first),
        )
        for group in run.groups()
    ]


def skipped(run: Run) -> list[str]:
    """Return a line for each reason why a run left something out, with the number; file by file if these are few."""
    return skipped_lines(run.skipped, run.checked)
