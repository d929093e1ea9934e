"""Render the view of coverage for a terminal."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.coverage.tables import heading, tables
from isogloss.cli.report_views.text import print_view

__all__ = ["render"]


def render(coverage: Coverage, stream: TextIO | None = None) -> str:
    """Return the report as tables.

    For a terminal, they are as wide as it is. Colours are used if the stream wants them. Without a stream, they are for
    a file.
    """
    skipped = skipped_lines(coverage.skipped, coverage.checked)
    return print_view(tables(coverage), heading(coverage), skipped, stream=stream)
