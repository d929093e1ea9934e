"""The coverage report as JSON, version 1; its schema is ``isogloss/schemas/report/coverage-v1.json``."""

from __future__ import annotations

from typing import Any

import orjson

from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.coverage.reference import KINDS
from isogloss.validator.rules import group_of

__all__ = ["document", "render"]


def render(coverage: Coverage) -> str:
    """Return the report as one indented JSON document."""
    return orjson.dumps(document(coverage), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def document(coverage: Coverage) -> dict[str, Any]:
    """Return the report as a JSON value. Properties and rules that no exchange exercises come first."""
    found = [one for kind in KINDS for one in coverage.properties(kind)]
    return {
        "coverage_report_version": 1,
        "summary": {
            "files": coverage.files,
            "exchanges": coverage.exchanges,
            "skipped": len(coverage.skipped),
            "exercised": {
                name.replace(" ", "_"): {"exercised": one.exercised, "of": one.of}
                for name, one in coverage.tallies()
            },
        },
        "properties": [
            {
                "kind": one.node.kind,
                "path": one.node.path,
                "exchanges": one.exchanges,
                "of": coverage.kinds[one.node.kind],
                "values": one.values,
            }
            for one in sorted(found, key=lambda one: one.exchanges)
        ],
        "rules": [
            {
                "rule": one.rule,
                "group": group_of(one.rule),
                "exchanges": one.exchanges,
                "found": one.found,
                "needs": list(one.needs),
            }
            for one in coverage.rules
        ],
    }  # fmt: skip
