"""Render the view of coverage as Markdown."""

from __future__ import annotations

from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.coverage.tables import heading, tables
from isogloss.cli.report_views.markdown import write_page

__all__ = ["render"]


def render(coverage: Coverage) -> str:
    """Return the report as headings and tables."""
    skipped = skipped_lines(coverage.skipped, coverage.checked)
    return write_page("Coverage", heading(coverage), tables(coverage), skipped)
