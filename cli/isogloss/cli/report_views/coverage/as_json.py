"""Render the view of coverage as JSON, version 1. Its schema is ``isogloss/schemas/report/coverage-v1.json``."""

from __future__ import annotations

from typing import Any

from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.validator.exchange import count_skipped
from isogloss.validator.kinds import KINDS
from isogloss.validator.rules import group_of

__all__ = ["document"]


def document(coverage: Coverage) -> dict[str, Any]:
    """Return the report as a JSON value. Properties and rules that no exchange exercises come first."""
    properties = [covered for kind in KINDS for covered in coverage.properties(kind)]
    return {
        "coverage_report_version": 1,
        "summary": {
            "files": coverage.files,
            "exchanges": coverage.exchanges,
            "skipped": count_skipped(coverage.skipped),
            "exercised": {
                name.replace(" ", "_"): {"exercised": tally.exercised, "of": tally.of}
                for name, tally in coverage.tallies()
            },
        },
        "properties": [
            {
                "kind": covered.node.kind,
                "path": covered.node.path,
                "exchanges": covered.exchanges,
                "of": coverage.kinds[covered.node.kind],
                "values": covered.values,
            }
            for covered in sorted(properties, key=lambda covered: covered.exchanges)
        ],
        "rules": [
            {
                "rule": rule.rule,
                "group": group_of(rule.rule),
                "exchanges": rule.exchanges,
                "found": rule.found,
                "needs": list(rule.needs),
            }
            for rule in coverage.rules
        ],
    }  # fmt: skip
