"""Define the settings of a run, which never change while it goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct

from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import UnplacedFinding

__all__ = ["Keep", "RunSettings"]

Keep: TypeAlias = Literal["all", "first", "failing", "none"]
"""Which findings a run keeps."""
_Found = TypeVar("_Found", bound=Finding | UnplacedFinding)


class RunSettings(Struct, frozen=True):
    """What fails a run, and what its reports need of it.

    * ``fail_on``: findings of this severity or above fail the run.
    * ``fail_on_impact``: findings that a client was seen to break on fail the run, too, whatever their severity.
    * ``limits``: by rule, the percentage above which its rate fails the run.
    * ``least_severity``: the lowest severity of findings that are reported at all.
    * ``keep``: which findings are kept: ``all``, or ``none``, or only the ``first`` of each group, with the number of
      its findings, or the first of each group of ``failing`` findings: those that fail the run. A group is all findings
      with the same message at the same path.
    * ``detail``: how much a person wants to read.
    * ``has_contexts``: what is shown beside the first finding of each group is kept.
    * ``frames_notes_once``: of the notes of a rule in a file, this is kept only for the one that stands first.
    * ``has_survey``: which dialects the exchanges speak is counted.
    * ``show_impact``: every format shows what clients were seen to break on.
    * ``clients``: the clients whose evidence counts. If it is empty, all clients count.
    """

    fail_on: Severity
    fail_on_impact: bool = False
    limits: Mapping[str, float] = {}
    least_severity: Severity = Severity.NOTE
    keep: Keep = "all"
    detail: Literal["quiet", "usual", "verbose"] = "usual"
    has_contexts: bool = False
    frames_notes_once: bool = False
    has_survey: bool = False
    show_impact: bool = False
    clients: tuple[str, ...] = ()

    def lists(self, finding: Finding) -> bool:
        """Return whether reports in groups list a finding: those that a dialect explains only if they fail the run."""
        return not finding.explained_by or self.fails(finding)

    def fails(self, finding: Finding | UnplacedFinding, least: Severity | None = None) -> bool:
        """Return whether a finding fails the run. ``least`` is as for :meth:`failing`."""
        return bool(self.failing((finding,), least))

    def failing(self, found: Iterable[_Found], least: Severity | None = None) -> list[_Found]:
        """Return the findings that fail the run.

        ``least`` is the severity from which on they do, in place of ``fail_on``.
        """
        enough = least or self.fail_on
        if not self.fail_on_impact:
            return [finding for finding in found if finding.severity >= enough]
        return [
            finding
            for finding in found
            if finding.severity >= enough or (finding.impact is not None and finding.impact.breaks)
        ]
