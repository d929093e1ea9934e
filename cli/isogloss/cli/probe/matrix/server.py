"""What a probe came to: its servers, each with its outcomes, and what changed since an earlier report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.summary import Run
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import printable

__all__ = ["Change", "Probed", "ProbedServer", "Seen"]


class Seen(NamedTuple):
    """What makes a finding the same from report to report: its rule and the generic place in a kind of payload."""

    rule: str
    kind: str
    path: str

    @classmethod
    def of(cls, finding: Finding) -> Seen:
        """Take the rule and the place from a finding."""
        return cls(finding.rule, finding.kind, printable(finding.path))

    def __str__(self) -> str:
        return f"[{self.rule}] {self.kind} {self.path}".rstrip()


class Change(NamedTuple):
    """How a case ended before and now, where that differs, or where findings are new or gone.

    ``before`` is ``None`` for a case that was not asked then, ``now`` for one that is not asked any more. ``direction``
    is ``worse``, ``better`` or ``different``; ``failed`` says whether the change fails the run.
    """

    case: str
    before: str | None
    now: str | None
    new: Mapping[Seen, Severity]
    gone: Mapping[Seen, Severity]
    direction: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedServer:
    """A server with what it answered. ``dialect`` says in words which dialect it speaks.

    ``changes`` are those since an earlier report; ``None`` where none was given, or none that has this server.
    """

    name: str
    url: str
    model: str
    dialect: str
    outcomes: Sequence[Outcome]
    run: Run
    changes: Sequence[Change] | None = None


class Probed(NamedTuple):
    """All servers of a probe, and the name of the report that they are compared with."""

    servers: Sequence[ProbedServer]
    since: str | None = None
