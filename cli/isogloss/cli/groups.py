"""Findings that say the same of the same generic place, together: reports print one entry for many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from isogloss.cli.contexts import Context
from isogloss.cli.rates import Rate
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Unplaced
from isogloss.validator.quoting import without_numbers

__all__ = ["Group", "Words", "grouped", "words"]

Words: TypeAlias = tuple[Severity, str, str, str, str, bool, str]
"""What findings of one group have in common: severity, rule, kind, path, the message but for its numbers, whether a
dialect explains them, and the form of the value where that decides what was seen of clients."""


def words(one: Finding | Unplaced) -> Words:
    """Return what all findings of a group have in common: those with the same message at the same path."""
    form = one.impact.form if one.impact is not None and one.impact.breaks else ""
    return one.severity, one.rule, one.kind, one.path, without_numbers(one.message), bool(one.explained_by), form


@dataclass(slots=True)
class Group:
    """Findings that say the same of the same generic place: the first, how often they occur, in which files, and the
    dialects that explain them. ``context`` is what is shown beside the first, ``rate`` that of the rule, if known.
    """

    first: Finding
    count: int = 0
    files: set[str] = field(default_factory=set)
    dialects: set[str] = field(default_factory=set)
    context: Context | None = None
    rate: Rate | None = None

    def add(self, one: Finding | Unplaced, file: str) -> None:
        """Add a finding in a file to the group."""
        self.count += one.count
        self.files.add(file)
        self.dialects.update(one.explained_by)


def grouped(findings: Iterable[Finding], groups: dict[Words, Group]) -> dict[Words, Group]:
    """Add findings to the groups that they belong to, and return the groups."""
    for one in findings:
        group = groups.get(words(one))
        if group is None:
            group = groups[words(one)] = Group(one)
        group.add(one, one.source.file)
    return groups
