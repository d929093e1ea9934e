"""Make the tables of the view of clients, as text cells. Text, Markdown and HTML show them."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.cli.elements.places import place
from isogloss.cli.report_views.clients.counts import (
    BrokenExchanges,
    ClientCall,
    ClientView,
    DeviationForm,
    FoundDeviation,
)
from isogloss.cli.report_views.tables import Table, size_in_words
from isogloss.validator.impact.words import list_breaks
from isogloss.validator.quoting import count_of, printable

__all__ = ["heading", "tables"]

_OUTCOMES = {"raises": "raises", "silent": "gives another answer", "hangs": "hangs"}


def heading(view: ClientView) -> str:
    """Return the report in one line."""
    clients = {called.client for called in view.calls}
    return (
        f"{size_in_words(view)}: "
        f"{view.broken:,} with something that a client was seen to break on; "
        f"{len(clients)} of {count_of(len(view.clients), 'client')} seen to break"
    )


def tables(view: ClientView) -> Iterator[Table]:
    """Return the tables of the report that have rows, in order."""
    found = (
        Table("Clients", "How many exchanges hold something that a client was seen to break on, in this version and "
              "called in this way.", ("client", "version", "called as", "exchanges", "outcomes", "deviations"),
              [_client_row(*one) for one in view.by_client()]),
        Table("Seen to break", "Deviations that clients were seen to break on, with cases of the same rule, path and "
              "form of value.", ("severity", "deviation", "exchanges", "clients", "cases", "first"),
              [_breaking_row(*entry) for entry in view.breaking()]),
        Table("Run, and not seen to break", "Clients were run with cases like these, and gave what the answer says. "
              "Nothing can be concluded about other clients, versions and values.",
              ("severity", "deviation", "exchanges", "cases", "runs", "first"),
              [_unbroken_row(*entry) for entry in view.unbroken()]),
        Table("Not known", "No client was run with a case of the same rule, path and form of value.",
              ("severity", "deviation", "exchanges", "first"), [_common_cells(*entry) for entry in view.untried()]),
    )  # fmt: skip
    return (table for table in found if table.rows)


def _outcomes(broken: BrokenExchanges) -> str:
    """Describe what a client was seen to do.

    For each outcome, give the number of exchanges that hold something on which the client showed it.
    """
    return ", ".join(
        f"{words} in {broken.outcomes[name]:,}" for name, words in _OUTCOMES.items() if broken.outcomes[name]
    )


def _client_row(called: ClientCall, broken: BrokenExchanges) -> tuple[str, ...]:
    return (*called, f"{broken.exchanges:,}", _outcomes(broken), str(len(broken.deviations)))


def _breaking_row(deviation: DeviationForm, found: FoundDeviation) -> tuple[str, ...]:
    severity, what, exchanges, first = _common_cells(deviation, found)
    return severity, what, exchanges, list_breaks(found.breaks, most=None), _case_count(found), first


def _unbroken_row(deviation: DeviationForm, found: FoundDeviation) -> tuple[str, ...]:
    severity, what, exchanges, first = _common_cells(deviation, found)
    runs = found.impact.tried if found.impact is not None else 0
    return severity, what, exchanges, _case_count(found), str(runs), first


def _common_cells(deviation: DeviationForm, found: FoundDeviation) -> tuple[str, ...]:
    return found.severity.label, printable(str(deviation)), f"{found.exchanges:,}", place(found.first.source)


def _case_count(found: FoundDeviation) -> str:
    return str(found.impact.cases if found.impact is not None else 0)
