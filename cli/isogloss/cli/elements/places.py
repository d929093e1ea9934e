"""Name what a finding is about, and its place, in the words that all formats for people share."""

from __future__ import annotations

from typing import Protocol

from isogloss.validator.findings import Source
from isogloss.validator.quoting import printable

__all__ = ["file_name", "kind_and_path", "place"]


class _Located(Protocol):
    @property
    def kind(self) -> str: ...

    @property
    def path(self) -> str: ...


def kind_and_path(located: _Located) -> str:
    """Return the kind of payload and the path in it that a finding, a deviation or a change is about."""
    return f"{located.kind} {printable(located.path)}".strip()


def place(source: Source | None) -> str:
    """Return a place as ``file:line:column``, or an empty text if there is none."""
    return "" if source is None else f"{file_name(source.file)}:{source.line}:{source.column}"


def file_name(name: str) -> str:
    """Return the name of a file for the beginning of a line.

    A CI runner never takes it for a command, for example for ``::error::``.
    """
    return f"{'./' if name.startswith(':') else ''}{printable(name)}"
