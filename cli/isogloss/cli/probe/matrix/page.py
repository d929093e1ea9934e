"""Write the matrix as a single HTML file. Each cell opens to its findings, with links to what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TextIO

from isogloss.cli.checking.groups import group_key
from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.elements.places import kind_and_path, place
from isogloss.cli.pages.cases import colour
from isogloss.cli.pages.entries import Entry, anchor, filters, group_by_rule, mark_excerpt
from isogloss.cli.pages.rendering import render_page
from isogloss.cli.probe.matrix import changes
from isogloss.cli.probe.matrix.server import CaseChange, Probed, ProbedServer
from isogloss.cli.probe.matrix.table import (
    MatrixGroup,
    MatrixKey,
    groups,
    heading,
    matrix_key,
    rows,
)
from isogloss.validator.quoting import count_of, count_severities, printable

__all__ = ["report"]

_LEVELS = {
    "conforms": "known s3",
    "unsupported": "note s2",
    "inconclusive": "",
    "error": "error s4",
    "warning": "warning s4",
}
"""The class of a cell, by the colour of its case."""


class _Cell(NamedTuple):
    """The standing of a case on a server, its colour, why, and its findings, each with the anchor of its entry."""

    standing: str
    level: str
    counts: str
    reason: str
    answers: list[str]
    findings: list[tuple[str, str, str]]


def report(probed: Probed, out: TextIO) -> None:
    """Write the page: the changes, the matrix, the servers, and the findings by rule."""
    servers = probed.servers
    finding_groups = groups(servers)
    entries = [_entry(group, servers) for group in finding_groups]
    anchors = {matrix_key(group.first): entry.anchor for group, entry in zip(finding_groups, entries, strict=True)}
    parts = group_by_rule(entries)
    out.write(
        render_page(
            "matrix.html",
            title="servers" if len(servers) > 1 else servers[0].name,
            summary=heading(servers),
            checked=heading(servers),
            tone=_tone(servers),
            columns=servers,
            rows=[(row, [_cell(cell, anchors) for cell in row.cells]) for row in rows(servers)],
            since=None if probed.since is None else printable(probed.since),
            asked={row.name for row in rows(servers)},
            changed=[(server.name, _change_rows(server.changes)) for server in servers],
            parts=parts,
            filters=filters(parts, [server.name for server in servers], unit="server"),
            files=[(server.name, None, None) for server in servers],
        )
    )


def _tone(servers: Sequence[ProbedServer]) -> str:
    if any(server.failed for server in servers):
        return "bad"
    return "good" if any(server.run.has_verdict for server in servers) else "none"


def _cell(case: ProbedCase | None, anchors: Mapping[MatrixKey, str]) -> _Cell | None:
    if case is None:
        return None
    by_words = {matrix_key(finding): finding for finding in reversed(case.findings)}
    sorted_findings = sorted(by_words.items(), key=lambda one: -one[1].severity)
    return _Cell(
        case.standing,
        _LEVELS[colour(case)],
        count_severities(finding.severity for finding in case.findings),
        printable(case.reason),
        [f"status {answer.status}, {answer.seconds:.2f} s" for answer in case.answers],
        [
            (anchors[key], first.severity.label, f"{kind_and_path(first)}: {first.message}")
            for key, first in sorted_findings
        ],
    )


def _change_rows(server_changes: Sequence[CaseChange] | None) -> list[tuple[list[str], str, str, str]] | None:
    if server_changes is None:
        return None
    return [
        (cases, change.direction, changes.describe_standings(change), changes.describe_findings(change))
        for change, cases in changes.join_changes(server_changes)
    ]


def _entry(group: MatrixGroup, servers: Sequence[ProbedServer]) -> Entry:
    first = group.first
    shown_by = "; ".join(f"{servers[number].name}: {', '.join(cases)}" for number, cases in group.cases.items())
    cases = len({case for names in group.cases.values() for case in names})
    contexts = ((server.run.contexts or {}).get(group_key(first)) for server in servers)
    context = next((one for one in contexts if one is not None), None)
    return Entry(
        anchor=anchor(*matrix_key(first)),
        severity=first.severity,
        rule=first.rule,
        what=kind_and_path(first),
        message=first.message,
        place=place(first.source),
        pointer=printable(first.pointer) if "[]" in first.path else "",
        often=f"{count_of(cases, 'case')} on {count_of(len(group.cases), 'server')}",
        known=f"shown by {shown_by}",
        dialects=(),
        files=list(group.cases),
        mark=mark_excerpt(context.excerpt if context is not None else None),
        times=sum(map(len, group.cases.values())),
    )
