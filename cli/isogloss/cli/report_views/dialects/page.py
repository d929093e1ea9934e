"""Render the view of dialects as one self-contained HTML file, in the design of all pages."""

from __future__ import annotations

from isogloss.cli.checking.survey import DeviationCounts, DeviationPath, Survey
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.pages.entries import Entry, anchor, filters, group_by_rule, mark_excerpt
from isogloss.cli.pages.picture import heat, picture
from isogloss.cli.pages.rendering import NO_TRAFFIC, Figure, render_page
from isogloss.cli.report_views.dialects.tables import evidence_lines, heading, tables
from isogloss.cli.report_views.tables import size_in_words
from isogloss.validator.dialects.attribution import UNDETERMINED
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of, printable

__all__ = ["render"]

_TABLES_SHOWN = ("Dialects", "Explained", "Never seen")


def render(survey: Survey) -> str:
    """Return the page: pictures of dialects and their deviations, what is unexplained, and the tables of the report."""
    unexplained = survey.unexplained()
    files = sorted({cell.first.file for _, _, cell in unexplained if cell.first is not None})
    file_numbers = {file: number for number, file in enumerate(files)}
    entries = [_entry(deviation, slug, cell, survey, file_numbers) for deviation, slug, cell in unexplained]
    anchors: dict[DeviationPath, str] = {}
    for (deviation, _, _), entry in zip(unexplained, entries, strict=True):
        anchors.setdefault(deviation, entry.anchor)
    parts = group_by_rule(entries)
    overview = picture(survey, anchors)
    return render_page(
        "report.html",
        title="dialects",
        summary=heading(survey),
        checked=size_in_words(survey),
        figures=_figures(survey) if survey.exchanges else [],
        tone="good" if survey.exchanges and not unexplained else "none",
        picture=overview,
        whole=heat(survey, anchors, rows=None, columns=None)
        if overview is not None and overview.heat.left_out
        else None,
        parts=parts,
        nothing="None: every deviation is known in the dialect that shows it." if survey.exchanges else NO_TRAFFIC,
        filters=filters(parts, [printable(file) for file in files]),
        tables=[table for table in tables(survey) if table.title in _TABLES_SHOWN],
        evidence=list(evidence_lines(survey)),
        skipped=skipped_lines(survey.skipped, survey.checked),
    )


def _figures(survey: Survey) -> list[Figure]:
    dialect_count = len(survey.rows.keys() - {UNDETERMINED})
    undetermined_count = survey.rows[UNDETERMINED].exchanges if UNDETERMINED in survey.rows else 0
    unexplained_count = sum(row.unexplained for row in survey.rows.values())
    worst = max((cell.severity for _, _, cell in survey.unexplained()), default=Severity.NOTE).label
    return [
        Figure(dialect_count, "dialect" if dialect_count == 1 else "dialects"),
        Figure(undetermined_count, f"{'exchange' if undetermined_count == 1 else 'exchanges'} undetermined"),
        Figure(unexplained_count, f"unexplained {'deviation' if unexplained_count == 1 else 'deviations'}", worst),
    ]


def _entry(
    deviation: DeviationPath, slug: str, cell: DeviationCounts, survey: Survey, file_numbers: dict[str, int]
) -> Entry:
    shown = cell.shown
    source = shown.source if shown is not None else cell.first
    return Entry(
        anchor=anchor(deviation, slug),
        severity=cell.severity,
        rule=deviation.rule,
        what=kind_and_path(deviation),
        message=shown.message if shown is not None else "",
        place=place(source),
        pointer=printable(shown.pointer) if shown is not None else "",
        often=f"{cell.unexplained:,} of {count_of(survey.rows[slug].exchanges, 'exchange')}",
        known=f"not known in {slug}" if slug in survey.dialects else "",
        dialects=[slug],
        files=[file_numbers[cell.first.file]] if cell.first is not None else [],
        mark=mark_excerpt(cell.excerpt),
        times=cell.unexplained,
    )
