"""A comparison as JSON, version 1; its schema is ``isogloss/schemas/report/comparison-v1.json``."""

from __future__ import annotations

from typing import Any, TextIO

import orjson

from isogloss.cli.comparisons.comparison import Comparison, Recording
from isogloss.cli.reporters.json_report import place, skipped
from isogloss.validator.comparing.changes import Change, Changes
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.twins import Difference
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

__all__ = ["document", "report"]


def report(comparison: Comparison, out: TextIO) -> None:
    """Write one indented JSON document."""
    out.write(orjson.dumps(document(comparison), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())


def document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as a JSON value."""
    counts = comparison.severities
    return {
        "comparison_version": 1,
        "summary": {
            "question": comparison.question,
            "recordings": [
                _recording(one, alone) for one, alone in zip(comparison.recordings, comparison.alone, strict=False)
            ],
            "paired_by": comparison.way,
            "compared": comparison.groups,
            "found": {severity.label: counts[severity] for severity in sorted(Severity, reverse=True)},
        },
        "twins": [_difference(one) for one in comparison.differences],
        "changes": [_changes(some) for some in comparison.changes],
        "skipped": [skipped(one) for one in comparison.skipped],
    }


def _recording(one: Recording, alone: int) -> dict[str, Any]:
    return {
        "path": printable(one.path),
        "files": one.files,
        "answers": len(one.answers),
        "without_partner": alone,
        "passing_errors": one.passing,
    }


def _difference(one: Difference) -> dict[str, Any]:
    finding = one.finding
    return {
        "rule": finding.rule,
        "severity": finding.severity.label,
        "message": finding.message,
        "kind": finding.kind,
        "path": printable(finding.path),
        "pointer": printable(finding.pointer),
        "source": place(finding.source),
        "against": place(one.other),
        "sides": one.by,
        "answers": list(reversed(one.answers)),
    }


def _changes(some: Changes) -> dict[str, Any]:
    return {
        "dialect": some.stratum.dialect,
        "endpoint": printable(some.stratum.endpoint),
        "answers": {"before": some.before, "after": some.after},
        "changes": [_change(one) for one in some.found],
    }


def _change(one: Change) -> dict[str, Any]:
    return {
        "change": one.change,
        "severity": one.severity.label,
        "kind": one.kind,
        "path": printable(one.path),
        "message": one.message,
        "before": _rate(one.before) | {"example": one.was and place(one.was)},
        "after": _rate(one.after) | {"example": one.now and place(one.now)},
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {"seen": rate.seen, "of": rate.of}
