"""Findings as the columns of a table."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from isogloss.validator.arrow.schemas import FINDING
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Unplaced, Verdict
from isogloss.validator.pointer import rfc6901
from isogloss.validator.quoting import printable

__all__ = ["Listed"]


class Listed:
    """Findings of many verdicts, at or above a severity, column by column as :data:`FINDING` names them."""

    def __init__(self, least: Severity = Severity.NOTE) -> None:
        self._least = least
        self._columns: tuple[list[Any], ...] = tuple([] for _ in FINDING)

    def __len__(self) -> int:
        return len(self._columns[0])

    def add(self, verdict: Verdict) -> int:
        """Add the findings of a verdict, in the order of the events that they are about, and return their number.

        Findings below the severity are left out.
        """
        found = [(verdict.event(one), one) for one in verdict.unplaced if one.severity >= self._least]
        if len(found) > 1:
            found.sort(key=_order)
        for event, one in found:
            values = (
                one.rule,
                one.severity.label,
                one.message,
                one.kind,
                printable(one.path),
                printable(rfc6901(one.hit.pointer)),
                event,
                one.count,
                one.explained_by,
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


def _order(found: tuple[int | None, Unplaced]) -> tuple[object, ...]:
    event, one = found
    return -1 if event is None else event, -one.severity, one.rule, one.kind, rfc6901(one.hit.pointer), one.message
