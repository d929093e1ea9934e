"""Render the view of clients for a terminal."""

from __future__ import annotations

from typing import TextIO

from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.report_views.clients.counts import ClientView
from isogloss.cli.report_views.clients.tables import heading, tables
from isogloss.cli.report_views.text import print_view

__all__ = ["render"]


def render(view: ClientView, stream: TextIO | None = None) -> str:
    """Return the view as tables.

    For a terminal, they are as wide as it is. Colours are used if the stream wants them. Without a stream, they are for
    a file.
    """
    skipped = skipped_lines(view.skipped, view.checked)
    return print_view(tables(view), heading(view), skipped, stream=stream)
