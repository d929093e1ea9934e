"""The results of a probe: its servers, each with its outcomes, and what changed since an earlier report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.cli.checking.probe_reports import FindingKey
from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.outcome import Outcome
from isogloss.validator.findings import Severity

__all__ = ["CaseChange", "Probed", "ProbedServer"]


class CaseChange(NamedTuple):
    """A case whose standing differs from that before, or whose findings are new or gone.

    ``before`` and ``now`` are the standings. ``before`` is ``None`` if the case was not sent then, ``now`` is ``None``
    if it is not sent any more. ``direction`` is ``worse``, ``better`` or ``different``. ``failed`` says whether the
    change fails the run.
    """

    case: str
    before: str | None
    now: str | None
    new: Mapping[FindingKey, Severity]
    gone: Mapping[FindingKey, Severity]
    direction: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedServer:
    """A server with the outcomes of its cases. ``dialect`` says in words which dialect it speaks.

    ``changes`` are those since an earlier report. They are ``None`` if no report was given, or if it does not have this
    server.
    """

    name: str
    url: str
    model: str
    dialect: str
    outcomes: Sequence[Outcome]
    run: Run
    changes: Sequence[CaseChange] | None = None

    @property
    def cases(self) -> Sequence[ProbedCase]:
        """The results of the cases that were sent."""
        return self.run.cases or ()

    @property
    def conforming(self) -> int:
        """The number of cases that conform."""
        return sum(case.standing == "conforms" for case in self.cases)

    @property
    def conforming_of_all(self) -> str:
        """How many cases conform, of how many, in words."""
        return f"{self.conforming} of {len(self.cases)}"

    @property
    def failed(self) -> bool:
        """Whether the run fails because of this server: by its findings, or if it has changes, by one of these."""
        return self.run.failed if self.changes is None else any(change.failed for change in self.changes)


class Probed(NamedTuple):
    """All servers of a probe, and the name of the report that they are compared with."""

    servers: Sequence[ProbedServer]
    since: str | None = None
