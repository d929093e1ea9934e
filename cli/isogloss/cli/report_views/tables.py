"""Define what text and Markdown show of a view."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from isogloss.validator.findings import Source
from isogloss.validator.quoting import printable

__all__ = ["Shown", "Table", "place"]


class Table(NamedTuple):
    """A title, a sentence about it, the names of the columns and the rows."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


class Shown(NamedTuple):
    """A view as tables. ``heading`` is the view in one line. ``evidence`` has lines, each with the lines below it."""

    title: str
    heading: str
    tables: Iterable[Table]
    skipped: list[str]
    evidence: Iterable[tuple[str, list[str]]] = ()


def place(source: Source | None) -> str:
    """Return a place as ``file:line:column``, or an empty string if there is none."""
    return "" if source is None else f"{printable(source.file)}:{source.line}:{source.column}"
