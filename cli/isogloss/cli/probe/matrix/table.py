"""Make the matrix of cases and servers, and group the findings of all servers that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from isogloss.cli.checking.groups import group_key
from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.probe.matrix.server import ProbedServer
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import count_of, join_first

__all__ = [
    "MatrixGroup",
    "MatrixKey",
    "MatrixRow",
    "few",
    "groups",
    "heading",
    "matrix_key",
    "rows",
]


_FEW = 6
"""How many cases are named in one line."""

MatrixKey: TypeAlias = tuple[Severity, str, str, str, str]
"""What the findings of one entry have in common: the severity, the rule, the kind, the path, and the message."""


class MatrixRow(NamedTuple):
    """A case with its result on each server, or ``None`` for a server that it was not sent to."""

    name: str
    what: str
    cells: list[ProbedCase | None]

    @property
    def differs(self) -> bool:
        """Whether the case ended differently on some servers."""
        return len({cell.standing for cell in self.cells if cell is not None}) > 1


@dataclass(slots=True)
class MatrixGroup:
    """Findings of all servers that say the same: the first of them, and the cases that show it, by server number."""

    first: Finding
    cases: dict[int, list[str]] = field(default_factory=dict)


def rows(servers: Sequence[ProbedServer]) -> list[MatrixRow]:
    """Return a row for each case, in the order in which the cases were sent."""
    cases_by_server = [{case.name: case for case in server.cases} for server in servers]
    names = dict.fromkeys(name for cases in cases_by_server for name in cases)
    result = []
    for name in names:
        cells = [cases.get(name) for cases in cases_by_server]
        what = next(cell.what for cell in cells if cell is not None)
        result.append(MatrixRow(name, what, cells))
    return result


def matrix_key(finding: Finding) -> MatrixKey:
    """Return what all findings of an entry have in common.

    The matrix shows neither what explains a finding nor which clients break on it, so these do not divide entries.
    """
    severity, rule, kind, path, message, *_ = group_key(finding)
    return severity, rule, kind, path, message


def groups(servers: Sequence[ProbedServer]) -> list[MatrixGroup]:
    """Group findings that say the same. The most severe come first, then those that most servers show."""
    found: dict[MatrixKey, MatrixGroup] = {}
    for number, server in enumerate(servers):
        for case in server.cases:
            for finding in case.findings:
                group = found.setdefault(matrix_key(finding), MatrixGroup(finding))
                cases = group.cases.setdefault(number, [])
                if case.name not in cases:
                    cases.append(case.name)
    return sorted(found.values(), key=lambda group: (-group.first.severity, -len(group.cases)))


def few(cases: Sequence[str]) -> str:
    """Return the names of the first cases, and how many more there are."""
    return join_first(cases, _FEW)


def heading(servers: Sequence[ProbedServer]) -> str:
    """Return the line that sums up the matrix."""
    cases = rows(servers)
    conforming = ", ".join(f"{server.name} {server.conforming_of_all}" for server in servers)
    differing = sum(row.differs for row in cases)
    differ = f"; {count_of(differing, 'case')} differ{'s' if differing == 1 else ''}" if len(servers) > 1 else ""
    return f"{count_of(len(servers), 'server')}, {count_of(len(cases), 'case')}, conforming: {conforming}{differ}"
