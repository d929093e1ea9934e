"""Write the matrix as text: a line for each case, the findings with the servers that show them, and the changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.elements.places import kind_and_path
from isogloss.cli.probe import scorecard
from isogloss.cli.probe.matrix import changes
from isogloss.cli.probe.matrix.server import Probed, ProbedServer
from isogloss.cli.probe.matrix.table import MatrixRow, few, groups, heading, rows, tally
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
    table_rows = rows(servers)
    for numbers in _column_groups(servers, table_rows, width):
        yield from _table(servers, table_rows, numbers)
        yield []
    yield from _findings(servers)
    yield from _reasons(servers)
    if probed.since is not None:
        yield from _lines_of_changes(probed)
        yield []
    yield [(f"{heading(servers)}", "bold")]


def _column_groups(
    servers: Sequence[ProbedServer], table_rows: Sequence[MatrixRow], width: int | None
) -> Iterator[list[int]]:
    """Yield the numbers of the servers in groups, so that the columns of each group fit the width of the terminal."""
    left = (width or 0) - _name_width(table_rows)
    numbers: list[int] = []
    for number in range(len(servers)):
        if (
            numbers
            and width is not None
            and sum(_column_width(servers, table_rows, one) for one in (*numbers, number)) > left
        ):
            yield numbers
            numbers = []
        numbers.append(number)
    yield numbers


def _table(servers: Sequence[ProbedServer], table_rows: Sequence[MatrixRow], numbers: Sequence[int]) -> Iterator[Line]:
    widths = [_column_width(servers, table_rows, number) for number in numbers]

    def line(name: str, cells: Iterable[tuple[str, str]]) -> Line:
        padded = [(f"  {text:{width - 2}}", style) for (text, style), width in zip(cells, widths, strict=True)]
        last, style = padded[-1]
        return [(f"{name:{_name_width(table_rows)}}", ""), *padded[:-1], (last.rstrip(), style)]

    yield line("", ((servers[number].name, "bold") for number in numbers))
    for row in table_rows:
        yield line(row.name, ((_cell(row.cells[number]), _style(row.cells[number])) for number in numbers))
    yield line("conforming", (("{} of {}".format(*tally(servers[number])), "bold") for number in numbers))


def _name_width(table_rows: Sequence[MatrixRow]) -> int:
    return max(len("conforming"), *(len(row.name) for row in table_rows))


def _column_width(servers: Sequence[ProbedServer], table_rows: Sequence[MatrixRow], number: int) -> int:
    return 2 + max(len(servers[number].name), *(len(_cell(row.cells[number])) for row in table_rows))


def _cell(case: ProbedCase | None) -> str:
    """Return the standing of a case, and the numbers of its errors and warnings: ``deviates 2E 1W``."""
    if case is None:
        return "-"
    counts = Counter(finding.severity for finding in case.findings)
    letters = (f" {counts[one]}{_LETTERS[one]}" for one in (Severity.ERROR, Severity.WARNING) if counts[one])
    return case.standing + "".join(letters)


def _style(case: ProbedCase | None) -> str:
    return "dim" if case is None else scorecard.STYLES[case.standing]


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
        for case in server.run.cases or ():
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
