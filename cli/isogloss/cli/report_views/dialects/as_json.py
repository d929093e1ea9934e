"""Render the view of dialects as JSON, version 1. Its schema is ``isogloss/schemas/report/dialects-v1.json``."""

from __future__ import annotations

from typing import Any

from isogloss.cli.checking.survey import DeviationCounts, Survey
from isogloss.cli.reporters.json_report import place
from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.exchange import Exchange, count_skipped
from isogloss.validator.quoting import printable

__all__ = ["document"]


def document(survey: Survey) -> dict[str, Any]:
    """Return the report as a JSON value."""
    report: dict[str, Any] = {
        "dialect_report_version": 1,
        "summary": {"files": survey.files, "exchanges": survey.exchanges, "skipped": count_skipped(survey.skipped)},
        "dialects": [
            {
                "slug": slug,
                "exchanges": row.exchanges,
                "sure": row.sure,
                "tied": row.tied,
                "relaying": dict(sorted(row.relaying.items())),
                "ties": dict(sorted(row.ties.items())),
                "nearest": dict(sorted(row.nearest.items())),
                "explained": row.explained,
                "unexplained": row.unexplained,
            }
            for slug, row in survey.spoken()
        ],
        "deviations": [
            {"rule": deviation.rule, "kind": deviation.kind, "path": printable(deviation.path),
             "dialects": {slug: _cell(cell) for slug, cell in sorted(cells.items())}}
            for deviation, cells in sorted(survey.cells.items(), key=lambda item: str(item[0]))
        ],
        "never_seen": dict(survey.unused()),
    }  # fmt: skip
    if survey.evidence:
        report["exchanges"] = [_attributed(exchange, attribution) for exchange, attribution in survey.evidence]
    return report


def _attributed(exchange: Exchange, attribution: Attribution) -> dict[str, Any]:
    return {
        "file": printable(exchange.file),
        "exchange": exchange.number,
        "speaks": list(attribution.chain),
        "sure": attribution.sure,
        "nearest": list(attribution.tied),
        "stranger": round(attribution.stranger, 4),
        "host_contradicts": attribution.contradicts,
        "candidates": [
            {
                "slug": candidate.slug,
                "confidence": round(candidate.confidence, 4),
                "evidence": [
                    {"what": printable(fact.what), "how": fact.how, "weight": round(fact.weight, 2)}
                    for fact in attribution.evidence(candidate.slug)
                ],
            }
            for candidate in attribution.candidates[: max(3, len(attribution.tied))]
        ],
    }


def _cell(cell: DeviationCounts) -> dict[str, Any]:
    return {
        "exchanges": cell.exchanges,
        "unexplained": cell.unexplained,
        "severity": cell.severity.label,
        "first": cell.first and place(cell.first),
    }
