"""The coverage report for a terminal."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.report_views.coverage.counts import Coverage
from isogloss.cli.report_views.coverage.tables import heading, tables
from isogloss.cli.report_views.text import printed

__all__ = ["render"]


def render(coverage: Coverage, stream: TextIO | None = None) -> str:
    """Tables for a stream: as wide as it is, and with colours where they are wanted; else for a file."""
    return printed(tables(coverage), heading(coverage), stream=stream)
