"""The vendor-dialect report as one HTML file that needs nothing else: no script, no network."""

from __future__ import annotations

from typing import Any

from isogloss.cli.report_views.survey import Survey
from isogloss.cli.report_views.tables import evidence_lines, heading, place, tables
from isogloss.validator.quoting import printable

__all__ = ["render"]


def render(survey: Survey) -> str:
    """The page: what is unexplained, the dialects, and the matrix of deviations and dialects."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("isogloss.cli", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    slugs = [slug for slug, _ in survey.spoken()]
    return environment.get_template("report.html").render(
        heading=heading(survey),
        tables=[table for table in tables(survey) if table.title != "Explained"],
        slugs=slugs,
        totals={slug: row.exchanges for slug, row in survey.spoken()},
        matrix=list(_matrix(survey, slugs)),
        evidence=list(evidence_lines(survey)),
    )


def _matrix(survey: Survey, slugs: list[str]) -> list[dict[str, Any]]:
    order = sorted(survey.cells.items(), key=lambda one: (one[0].kind, one[0].path, one[0].rule))
    return [
        {
            "kind": deviation.kind,
            "path": printable(deviation.path),
            "rule": deviation.rule,
            "cells": [
                None
                if slug not in cells
                else {
                    "share": round(100 * cells[slug].exchanges / survey.rows[slug].exchanges),
                    "title": f"{slug}: {cells[slug].exchanges} of {survey.rows[slug].exchanges} exchanges, "
                    f"{cells[slug].unexplained} unexplained, first at {place(cells[slug].first)}",
                    "level": cells[slug].severity.label if cells[slug].unexplained else "explained",
                }
                for slug in slugs
            ],
        }
        for deviation, cells in order
    ]
