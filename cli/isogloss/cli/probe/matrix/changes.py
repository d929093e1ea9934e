"""Describe changes in words, for all formats that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isogloss.cli.checking.probe_reports import FindingKey
from isogloss.cli.probe.matrix.server import CaseChange
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import join_first

__all__ = ["describe_findings", "describe_standings", "join_changes", "sort_changes"]

_MOST_FINDINGS = 5
"""The most findings of a change that a line lists."""


def sort_changes(changes: Sequence[CaseChange]) -> list[CaseChange]:
    """Sort the changes: first those that fail the run, then what is worse, and last what is better."""
    order = ("worse", "different", "better")
    return sorted(changes, key=lambda change: (not change.failed, order.index(change.direction)))


def join_changes(changes: Sequence[CaseChange]) -> list[tuple[CaseChange, list[str]]]:
    """Sort the changes, and join those that differ only in their case: return each with the names of its cases."""
    joined: dict[str, tuple[CaseChange, list[str]]] = {}
    for change in sort_changes(changes):
        joined.setdefault(repr(change._replace(case="")), (change, []))[1].append(change.case)
    return [*joined.values()]


def describe_standings(change: CaseChange) -> str:
    """Return the standings of the case before and now, in words."""
    if change.before is None:
        return f"not sent before, {change.now}"
    if change.now is None:
        return f"{change.before} before, not sent"
    return f"still {change.now}" if change.before == change.now else f"{change.before} → {change.now}"


def describe_findings(change: CaseChange) -> str:
    """Return the findings that are new, and those that are gone, in words."""
    parts = ((word, findings) for word, findings in (("new", change.new), ("gone", change.gone)) if findings)
    return "; ".join(f"{word}: {_finding_list(findings)}" for word, findings in parts)


def _finding_list(findings: Mapping[FindingKey, Severity]) -> str:
    order = sorted(findings, key=lambda seen: (-findings[seen], seen))
    return join_first([f"{findings[seen].label}{seen}" for seen in order], _MOST_FINDINGS)
