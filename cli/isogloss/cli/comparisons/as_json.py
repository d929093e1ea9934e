"""Write a comparison as JSON, version 1. Its schema is ``isogloss/schemas/report/comparison-v1.json``."""

from __future__ import annotations

from typing import Any, TextIO

from isogloss.cli.comparisons.comparison import Comparison, Recording
from isogloss.cli.elements.indented_json import write_document
from isogloss.cli.reporters.json_report import description, place, skipped
from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.recordings import Changes
from isogloss.validator.comparing.twins import TwinDifference
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

__all__ = ["document", "report"]


def report(comparison: Comparison, out: TextIO) -> None:
    """Write one indented JSON document."""
    write_document(document(comparison), out)


def document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as a JSON value."""
    counts = comparison.severities
    return {
        "comparison_version": 1,
        "summary": {
            "question": comparison.question,
            "recordings": [
                _recording(recording, alone, refused)
                for recording, alone, refused in zip(
                    comparison.recordings, comparison.alone, comparison.refused, strict=False
                )
            ],
            "paired_by": comparison.paired_by,
            "compared": comparison.groups,
            "found": {severity.label: counts[severity] for severity in sorted(Severity, reverse=True)},
        },
        "twins": [_difference(difference) for difference in comparison.differences],
        "changes": [_changes(changes) for changes in comparison.changes],
        "skipped": [skipped(skip) for skip in comparison.skipped],
    }


def _recording(recording: Recording, alone: int, refused: int) -> dict[str, Any]:
    return {
        "path": printable(recording.path),
        "files": recording.files,
        "answers": recording.answer_count,
        "without_partner": alone,
        "refused": refused,
        "temporary_errors": recording.temporary_errors,
    }


def _difference(difference: TwinDifference) -> dict[str, Any]:
    return {
        **description(difference.finding),
        "against": place(difference.other_source),
        "sides": difference.by,
        "answers": list(reversed(difference.answers)),
    }


def _changes(changes: Changes) -> dict[str, Any]:
    return {
        "dialect": changes.stratum.dialect,
        "endpoint": printable(changes.stratum.endpoint),
        "answers": {"before": changes.before, "after": changes.after},
        "changes": [_change(change) for change in changes.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "change": change.change,
        "severity": change.severity.label,
        "kind": change.kind,
        "path": printable(change.path),
        "message": change.message,
        "before": _rate(change.before) | {"example": change.was and place(change.was)},
        "after": _rate(change.after) | {"example": change.now and place(change.now)},
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {"seen": rate.seen, "of": rate.of}
