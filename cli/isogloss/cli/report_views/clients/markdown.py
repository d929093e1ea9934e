"""Render the view of clients as Markdown."""

from __future__ import annotations

from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.report_views.clients.counts import ClientView
from isogloss.cli.report_views.clients.tables import heading, tables
from isogloss.cli.report_views.markdown import write_page

__all__ = ["render"]


def render(view: ClientView) -> str:
    """Return the view as headings and tables."""
    skipped = skipped_lines(view.skipped, view.checked)
    return write_page("Clients", heading(view), tables(view), skipped)
