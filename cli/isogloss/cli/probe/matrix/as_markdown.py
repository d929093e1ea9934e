"""Write the matrix as Markdown, for a job summary, a comment or a page of a wiki."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.elements.markdown import escaped, table
from isogloss.cli.elements.places import kind_and_path
from isogloss.cli.probe.matrix import changes
from isogloss.cli.probe.matrix.server import CaseChange, Probed, ProbedServer
from isogloss.cli.probe.matrix.table import MatrixGroup, few, groups, heading, rows
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_severities

__all__ = ["report"]

_MOST_FINDINGS = 200
"""The most findings that are listed. A job summary may be a megabyte at most."""


def report(probed: Probed, out: TextIO) -> None:
    """Write the matrix, the servers, the changes and the findings."""
    out.write("\n".join(_lines(probed)).rstrip() + "\n")


def _lines(probed: Probed) -> Iterator[str]:
    servers = probed.servers
    yield f"# isogloss\n\n{escaped(heading(servers))}\n"
    cases = [[f"`{row.name}`", *map(_cell, row.cells)] for row in rows(servers)]
    conforming = ["**conforming**", *(f"**{server.conforming_of_all}**" for server in servers)]
    yield from table(["case", *(escaped(server.name) for server in servers)], [*cases, conforming])
    yield "\n## Servers\n"
    for server in servers:
        dialect = f": {escaped(server.dialect)}" if server.dialect else ""
        yield f"* **{escaped(server.name)}**, {escaped(server.url)}, {escaped(server.model)}{dialect}"
    if probed.since is not None:
        yield f"\n## Since {escaped(probed.since)}\n"
        for server in servers:
            yield from _change_lines(server.name, server.changes)
    finding_groups = groups(servers)
    if finding_groups:
        yield "\n## Findings\n"
        findings = (_finding(group, servers) for group in finding_groups)
        yield from table(("severity", "rule", "what", "where"), findings, _MOST_FINDINGS)


def _finding(group: MatrixGroup, servers: Sequence[ProbedServer]) -> list[str]:
    first = group.first
    where = "; ".join(f"{servers[number].name}: {few(cases)}" for number, cases in group.cases.items())
    return [first.severity.label, first.rule, escaped(f"{kind_and_path(first)}: {first.message}"), escaped(where)]


def _cell(case: ProbedCase | None) -> str:
    if case is None:
        return ""
    counts = count_severities(finding.severity for finding in case.findings if finding.severity > Severity.NOTE)
    standing = f"**{case.standing}**" if case.standing == "deviates" else case.standing
    return f"{standing}: {counts}" if counts else standing


def _change_lines(name: str, server_changes: Sequence[CaseChange] | None) -> Iterator[str]:
    if not server_changes:
        yield f"* {escaped(name)}: {'not in that report' if server_changes is None else 'nothing changed'}"
    for change, cases in changes.join_changes(server_changes or ()):
        description = changes.describe_findings(change)
        direction = f"{change.direction}: " if change.direction != "different" else ""
        line = (
            f"{few(cases)}: {direction}{changes.describe_standings(change)}{f'; {description}' if description else ''}"
        )
        yield f"* {escaped(name)}: {escaped(line)}"
