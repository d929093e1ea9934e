"""Render the view of clients as one self-contained HTML file, in the design of all pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.elements.skipping import skipped_lines
from isogloss.cli.pages.entries import Entry, anchor, filters, group_by_rule, mark_excerpt
from isogloss.cli.pages.rendering import NO_TRAFFIC, Figure, render_page
from isogloss.cli.report_views.clients.counts import ClientView, DeviationForm, FoundDeviation
from isogloss.cli.report_views.clients.tables import heading, tables
from isogloss.validator.impact.words import describe_impact, list_breaks
from isogloss.validator.quoting import count_of, printable

__all__ = ["render"]

_MOST_ROWS = 40
_LEVELS = {"hangs": "error", "silent": "warning", "raises": "note"}
"""The class that colours each outcome. If a cell has several outcomes, the first of them in this order colours it."""
_LETTERS = {"hangs": "H", "silent": "S", "raises": "R"}


class _Cell(NamedTuple):
    """What a client was seen to do on a deviation: the colour, the letters of the outcomes, and a label."""

    level: str
    letters: str
    label: str


class _Row(NamedTuple):
    """A deviation, the number of exchanges that hold it, and a cell for each client."""

    rule: str
    what: str
    anchor: str
    exchanges: int
    cells: list[_Cell | None]


def render(view: ClientView) -> str:
    """Return the page: a picture of the clients that were seen to break, the deviations, and the tables.

    The reader can open each deviation.
    """
    breaking = view.breaking()
    files = sorted({file for _, found in breaking for file in found.files})
    file_numbers = {file: number for number, file in enumerate(files)}
    entries = {deviation: _entry(deviation, found, file_numbers) for deviation, found in breaking}
    parts = group_by_rule(entries.values())
    slugs = sorted({called.client for called in view.calls})
    rows = [_row(deviation, found, slugs, entries[deviation].anchor) for deviation, found in breaking]
    all_tables = list(tables(view))
    return render_page(
        "clients.html",
        title="clients",
        summary=heading(view),
        checked=heading(view),
        figures=_figures(view, len(slugs)) if view.exchanges else [],
        tone="none",
        nothing=NO_TRAFFIC,
        slugs=slugs,
        rows=rows[:_MOST_ROWS],
        left_out=count_of(len(rows) - _MOST_ROWS, "deviation") if len(rows) > _MOST_ROWS else "",
        parts=parts,
        filters=filters(parts, [printable(file) for file in files]),
        tables=[table for table in all_tables if table.title != "Seen to break"],
        skipped=skipped_lines(view.skipped, view.checked),
    )


def _figures(view: ClientView, clients: int) -> list[Figure]:
    return [
        Figure(view.broken, f"of {count_of(view.exchanges, 'exchange')} hold what a client was seen to break on"),
        Figure(clients, f"of {count_of(len(view.clients), 'client')} seen to break", "warning"),
        Figure(len(view.breaking()), "deviations that a client was seen to break on", "warning"),
        Figure(len(view.untried()), "deviations that no client was run with"),
    ]


def _row(deviation: DeviationForm, found: FoundDeviation, slugs: Sequence[str], anchor: str) -> _Row:
    what = kind_and_path(deviation) + (f" ({deviation.form})" if deviation.path else "")
    return _Row(deviation.rule, what, anchor, found.exchanges, [_cell(found, slug) for slug in slugs])


def _cell(found: FoundDeviation, slug: str) -> _Cell | None:
    breaks = [client_break for client_break in found.breaks if client_break.client == slug]
    if not breaks:
        return None
    outcomes = {client_break.outcome for client_break in breaks}
    return _Cell(
        level=next(level for outcome, level in _LEVELS.items() if outcome in outcomes),
        letters=" ".join(letter for outcome, letter in _LETTERS.items() if outcome in outcomes),
        label=f"seen to break: {list_breaks(breaks, most=None)}",
    )


def _entry(deviation: DeviationForm, found: FoundDeviation, file_numbers: Mapping[str, int]) -> Entry:
    first = found.first
    return Entry(
        anchor=anchor(*deviation),
        severity=found.severity,
        rule=deviation.rule,
        what=kind_and_path(deviation),
        message=first.message,
        place=place(first.source),
        pointer=printable(first.pointer) if "[]" in first.path else "",
        often=count_of(found.exchanges, "exchange"),
        known="",
        dialects=(),
        files=sorted(file_numbers[file] for file in found.files),
        mark=mark_excerpt(found.excerpt),
        broken=describe_impact(found.impact, most=None),
        clients=sorted({client_break.client for client_break in found.breaks}),
        times=found.exchanges,
    )
