"""Define what text and Markdown show of a view."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from isogloss.validator.exchange import Skipped, count_skipped
from isogloss.validator.quoting import count_of

__all__ = ["Table", "View", "ViewTables", "size_in_words"]


class View(Protocol):
    """What every view counts."""

    exchanges: int
    files: int
    skipped: list[Skipped]


class Table(NamedTuple):
    """A title, a sentence about it, the names of the columns and the rows."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


class ViewTables(NamedTuple):
    """A view as tables. ``heading`` is the view in one line. ``evidence`` has lines, each with the lines below it."""

    title: str
    heading: str
    tables: Iterable[Table]
    skipped: list[str]
    evidence: Iterable[tuple[str, list[str]]] = ()


def size_in_words(view: View) -> str:
    """Return how many exchanges and files were read, and how much was skipped."""
    skipped = f", {count_skipped(view.skipped):,} skipped" if view.skipped else ""
    return f"{count_of(view.exchanges, 'exchange')} in {count_of(view.files, 'file')}{skipped}"
