"""Compare the outcomes of servers with an earlier JSON report of ``isogloss probe``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import click

from isogloss.cli.checking.probe_reports import FindingKey, ProbeReport
from isogloss.cli.probe.matrix.server import CaseChange, ProbedServer
from isogloss.cli.probe.servers import Server
from isogloss.validator.findings import Severity

__all__ = ["matching", "with_changes"]

_RANKS = {"conforms": 0, "unsupported": 1, "deviates": 2}
"""From good to bad. An inconclusive case is neither."""


def matching(servers: Sequence[Server], earlier: Sequence[ProbeReport]) -> list[ProbeReport | None]:
    """Return for each server the earlier one with its name, or else with its URL, or ``None``.

    If there is one server and one in the report, they match in any case. Raises ``click.UsageError`` if the report has
    none of the servers.
    """
    if len(servers) == len(earlier) == 1:
        return [earlier[0]]
    by_name = {one.name: one for one in earlier if one.name is not None}
    by_url = {one.url: one for one in earlier if one.url is not None}
    found = [by_name.get(server.name) or by_url.get(server.url) for server in servers]
    if not any(found):
        names = ", ".join(one.name or "one without a name, which was probed alone" for one in earlier) or "none"
        raise click.UsageError(f"the earlier report has none of these servers; it has: {names}")
    return found


def with_changes(
    servers: Sequence[ProbedServer], earlier: Sequence[ProbeReport | None], fail_on: Severity
) -> list[ProbedServer]:
    """Return the servers, each with what changed on it if it has an earlier one."""
    return [
        server if one is None else replace(server, changes=list(_changes(server, one, fail_on)))
        for server, one in zip(servers, earlier, strict=False)  # after Ctrl-C, some servers are missing
    ]


def _changes(server: ProbedServer, earlier: ProbeReport, fail_on: Severity) -> Iterator[CaseChange]:
    cases = {case.name: case for case in server.cases}
    for name in dict.fromkeys((*cases, *earlier.standings)):
        case, before = cases.get(name), earlier.standings.get(name)
        now = None if case is None else case.standing
        earlier_findings = earlier.findings.get(name, {})
        findings = (
            {} if case is None else {FindingKey.of_finding(finding): finding.severity for finding in case.findings}
        )
        is_comparable = now is not None and now != "inconclusive"  # else, a missing finding may not be gone
        new = {seen: severity for seen, severity in findings.items() if seen not in earlier_findings}
        gone = {seen: severity for seen, severity in earlier_findings.items() if seen not in findings and is_comparable}
        if before == now and not new and not gone:
            continue
        failed = any(severity >= fail_on for severity in new.values()) or (before, now) == ("conforms", "unsupported")
        yield CaseChange(name, before, now, new, gone, _direction(before, now, new, gone), failed)


def _direction(
    before: str | None, now: str | None, new: Mapping[FindingKey, Severity], gone: Mapping[FindingKey, Severity]
) -> str:
    """Return the direction of a change: by the standings if they differ, else by the worst findings, new or gone."""
    if before in _RANKS and now in _RANKS and before != now:
        return "worse" if _RANKS[now] > _RANKS[before] else "better"
    if before is None or now is None or before != now:
        return "different"
    worst_new, worst_gone = (max(severities.values(), default=Severity.NOTE) for severities in (new, gone))
    if worst_new == worst_gone:
        return "different"
    return "worse" if worst_new > worst_gone else "better"
