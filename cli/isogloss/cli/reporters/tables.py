"""What the formats for reading in a browser show: findings by what they say, and what was skipped, as text cells."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from isogloss.cli.reporters import text
from isogloss.cli.summary import Run
from isogloss.validator.quoting import printable

__all__ = ["Row", "rows", "skipped"]


class Row(NamedTuple):
    """Findings that say the same of the same generic place: the first one's place, and how many there are."""

    severity: str
    rule: str
    what: str
    message: str
    first: str
    times: int
    files: int
    dialects: str


def rows(run: Run) -> list[Row]:
    """The findings in groups, most severe first."""
    return [
        Row(
            severity=group.first.severity.label,
            rule=group.first.rule,
            what=text.what(group.first),
            message=group.first.message,
            first=text.place(group.first),
            times=group.count,
            files=len(group.files),
            dialects=", ".join(sorted(group.dialects)),
        )
        for group in run.groups()
    ]


def skipped(run: Run) -> list[tuple[str, str, int]]:
    """File, reason and how many parts of it."""
    counts = Counter((printable(skip.file), printable(skip.reason)) for skip in run.skipped)
    return [(file, reason, count) for (file, reason), count in counts.items()]
