"""Collect findings as the columns of a table."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from isogloss.validator.arrow.schemas import FINDING
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import UnplacedFinding, Verdict
from isogloss.validator.pointer import rfc6901
from isogloss.validator.quoting import printable

__all__ = ["FindingColumns"]


class FindingColumns:
    """Findings of many verdicts, at or above a severity, in the columns of :data:`FINDING`."""

    def __init__(self, least: Severity = Severity.NOTE) -> None:
        self._least = least
        self._columns: tuple[list[Any], ...] = tuple([] for _ in FINDING)

    def __len__(self) -> int:
        return len(self._columns[0])

    def add(self, verdict: Verdict) -> int:
        """Add the findings of a verdict, in the order of the events that they are about, and return their number.

        Findings below the severity are left out.
        """
        found = [(verdict.event(finding), finding) for finding in verdict.unplaced if finding.severity >= self._least]
        if len(found) > 1:
            found.sort(key=_sort_key)
        for event, finding in found:
            values = (
                finding.rule,
                finding.severity.label,
                finding.message,
                finding.kind,
                printable(finding.path),
                printable(rfc6901(finding.hit.pointer)),
                event,
                finding.count,
                finding.explained_by,
            )
            for column, value in zip(self._columns, values, strict=True):
                column.append(value)
        return len(found)

    def arrays(self) -> list[Any]:
        """Return the columns as arrays."""
        return [pa.array(column, type_) for column, (_, type_) in zip(self._columns, FINDING, strict=True)]

    def structs(self) -> Any:
        """Return the findings as an array of structs."""
        fields = [pa.field(name, type_) for name, type_ in FINDING]
        return pa.StructArray.from_arrays(self.arrays(), fields=fields)


def _sort_key(event_and_finding: tuple[int | None, UnplacedFinding]) -> tuple[object, ...]:
    event, finding = event_and_finding
    return (
        -1 if event is None else event,
        -finding.severity,
        finding.rule,
        finding.kind,
        rfc6901(finding.hit.pointer),
        finding.message,
    )
