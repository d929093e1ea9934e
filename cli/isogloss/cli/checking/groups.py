"""Group findings with the same message at the same path, so that reports print one entry for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from isogloss.cli.checking.contexts import Context
from isogloss.cli.checking.rates import RuleRate
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import UnplacedFinding
from isogloss.validator.quoting import without_numbers

__all__ = ["FindingGroup", "GroupKey", "group_findings", "group_key", "without_impact"]

GroupKey: TypeAlias = tuple[Severity, str, str, str, str, bool, str]
"""What the findings of one group have in common.

These are the severity, the rule, the kind, the path, the message without its numbers, and whether a dialect explains
them. If clients were seen to break on such findings, the form of their cases belongs to it, too; else it is empty.
"""


def group_key(finding: Finding | UnplacedFinding) -> GroupKey:
    """Return what all findings of a group have in common: those with the same message at the same path."""
    form = finding.impact.form if finding.impact is not None and finding.impact.breaks else ""
    return (
        finding.severity,
        finding.rule,
        finding.kind,
        finding.path,
        without_numbers(finding.message),
        bool(finding.explained_by),
        form,
    )


class FindingGroup:
    """Findings with the same message at the same path.

    ``first`` is the first of them, ``count`` is how often they occur, ``files`` are the files with them, and
    ``dialects`` are the dialects that explain them. ``context`` is what reports show beside the first finding.
    ``rate`` is the rate of the rule. Each of these two is ``None`` if it is not known.
    """

    __slots__ = ("context", "count", "dialects", "files", "first", "rate")

    def __init__(self, first: Finding, count: int = 0) -> None:
        self.first = first
        self.count = count
        self.files: set[str] = set()
        self.dialects: set[str] = set()
        self.context: Context | None = None
        self.rate: RuleRate | None = None

    def add(self, finding: Finding | UnplacedFinding, file: str) -> None:
        """Add a finding in a file to the group."""
        self.count += finding.count
        self.files.add(file)
        if finding.explained_by:
            self.dialects.update(finding.explained_by)

    def merge(self, other: FindingGroup) -> None:
        """Add the findings of another group that say the same."""
        self.count += other.count
        self.files |= other.files
        self.dialects |= other.dialects


def group_findings(findings: Iterable[Finding], groups: dict[GroupKey, FindingGroup]) -> dict[GroupKey, FindingGroup]:
    """Add findings to the groups that they belong to, and return the groups."""
    for finding in findings:
        group = groups.get(group_key(finding))
        if group is None:
            group = groups[group_key(finding)] = FindingGroup(finding)
        group.add(finding, finding.source.file)
    return groups


def without_impact(groups: dict[GroupKey, FindingGroup]) -> list[FindingGroup]:
    """Join the groups that differ only in what clients were seen to do, for reports that do not show this."""
    if not any(form for *_, form in groups):
        return [*groups.values()]
    joined: dict[tuple[object, ...], FindingGroup] = {}
    for (*words, _form), group in groups.items():
        first = joined.setdefault(tuple(words), FindingGroup(group.first))
        if first.first is group.first:
            first.context = group.context
        first.merge(group)
    return [*joined.values()]
