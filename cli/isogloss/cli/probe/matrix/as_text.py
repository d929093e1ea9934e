"""Write the matrix as text: a line for each case, the findings with the servers that show them, and the changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TextIO

from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.elements.places import kind_and_path
from isogloss.cli.probe import scorecard
from isogloss.cli.probe.matrix import changes
from isogloss.cli.probe.matrix.server import Probed, ProbedServer
from isogloss.cli.probe.matrix.table import few, groups, heading, rows
from isogloss.cli.process.terminal import Line, width_of, write
from isogloss.cli.reporters.text import STYLES
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of, printable

__all__ = ["report"]

_DIRECTIONS = {"worse": "bold red", "better": "green", "different": "yellow"}
_LETTERS = {Severity.ERROR: "E", Severity.WARNING: "W", Severity.NOTE: "N"}


def report(probed: Probed, out: TextIO) -> None:
    """Write the matrix. For one server alone, write its scorecard and what changed."""
    if len(probed.servers) == 1:
        server = probed.servers[0]
        scorecard.write(server.outcomes, server.run, out)
        write(_lines_of_changes(probed), out)
        return
    write(_lines(probed, width_of(out)), out)


def _lines(probed: Probed, width: int | None) -> Iterator[Line]:
    servers = probed.servers
    for server in servers:
        yield [(server.name, "bold"), (f"  {printable(server.url)}  {printable(server.model)}", "dim")]
        if server.dialect:
            yield [(f"    {server.dialect}", "")]
    yield []
    yield from _tables(servers, width)
    yield from _findings(servers)
    yield from _reasons(servers)
    if probed.since is not None:
        yield from _lines_of_changes(probed)
        yield []
    yield [(f"{heading(servers)}", "bold")]


def _tables(servers: Sequence[ProbedServer], width: int | None) -> Iterator[Line]:
    """Yield the lines of the matrix: of several tables if a terminal is too narrow for all servers side by side."""
    cases = rows(servers)
    names = ["", *(case.name for case in cases), "conforming"]
    used = name_width = max(map(len, names))
    tables: list[list[Line]] = [[]]  # each has a column for each of its servers
    for number, server in enumerate(servers):
        column = [(server.name, "bold"), *(_cell(case.cells[number]) for case in cases)]
        column.append((server.conforming_of_all, "bold"))
        column_width = max(len(text) for text, _ in column)
        if tables[-1] and width is not None and used + 2 + column_width > width:
            tables.append([])
            used = name_width
        tables[-1].append([(f"  {text:{column_width}}", style) for text, style in column])
        used += 2 + column_width
    for columns in tables:
        yield from ([(f"{name:{name_width}}", ""), *cells] for name, *cells in zip(names, *columns, strict=True))
        yield []


def _cell(case: ProbedCase | None) -> tuple[str, str]:
    """Return the standing of a case, the numbers of its errors and warnings (``deviates 2E 1W``), and the style."""
    if case is None:
        return "-", "dim"
    counts = Counter(finding.severity for finding in case.findings)
    letters = (f" {counts[one]}{_LETTERS[one]}" for one in (Severity.ERROR, Severity.WARNING) if counts[one])
    return case.standing + "".join(letters), scorecard.STYLES[case.standing]


def _findings(servers: Sequence[ProbedServer]) -> Iterator[Line]:
    """Yield each error and warning once, with the servers and the cases that show it."""
    finding_groups = groups(servers)
    for group in finding_groups:
        first = group.first
        if first.severity is Severity.NOTE:
            continue
        yield [
            (first.severity.label, STYLES[first.severity]),
            (f"[{first.rule}]", "dim"),
            (f" {kind_and_path(first)}: ", "bold"),
            (first.message, ""),
        ]
        for number, cases in group.cases.items():
            yield [(f"    {servers[number].name}: {few(cases)}", "dim")]
    notes = sum(group.first.severity is Severity.NOTE for group in finding_groups)
    if notes:
        yield [(f"{count_of(notes, 'different note')}: --format html and json list them", "dim")]
    if finding_groups:
        yield []


def _reasons(servers: Sequence[ProbedServer]) -> Iterator[Line]:
    """Yield the reasons why cases are inconclusive or not supported."""
    cases_by_reason: dict[tuple[str, str], list[str]] = {}
    for server in servers:
        for case in server.cases:
            if case.reason:
                cases_by_reason.setdefault((server.name, printable(case.reason)), []).append(case.name)
    for (name, reason), cases in cases_by_reason.items():
        yield [(f"{name}: ", "bold"), (f"{reason}: ", ""), (few(cases), "dim")]
    if cases_by_reason:
        yield []


def _lines_of_changes(probed: Probed) -> Iterator[Line]:
    """Yield what changed on each server since the earlier report."""
    if probed.since is None:
        return
    yield [(f"since {printable(probed.since)}:", "bold")]
    for server in probed.servers:
        name = f"{server.name}  " if len(probed.servers) > 1 else ""
        if server.changes is None:
            yield [(f"  {name}not in that report", "")]
        elif not server.changes:
            yield [(f"  {name}nothing changed", "")]
        for change, cases in changes.join_changes(server.changes or ()):
            yield [
                (f"  {name}{few(cases)}: ", ""),
                (f"{change.direction}: " if change.direction != "different" else "", _DIRECTIONS[change.direction]),
                (changes.describe_standings(change), ""),
                (f"; {description}" if (description := changes.describe_findings(change)) else "", "dim"),
            ]
