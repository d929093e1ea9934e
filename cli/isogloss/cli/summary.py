"""What a run amounts to: everything reporters print, gathered as it is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judge import Verdict

__all__ = ["SURE", "Run", "Spoken"]


SURE = 0.9
"""The confidence from which on an attribution is called sure."""


@dataclass(slots=True)
class Spoken:
    """How many exchanges speak a dialect, how many of them surely, and how many of their findings it explains."""

    exchanges: int = 0
    sure: int = 0
    explained: int = 0
    unexplained: int = 0


@dataclass(slots=True)
class Run:
    """Counts, findings and skipped parts of one run; ``fail_on`` is the severity from which on findings fail it."""

    fail_on: Severity
    files: int = 0
    exchanges: int = 0
    streams: int = 0
    payloads: Counter[str] = field(default_factory=Counter)
    severities: Counter[Severity] = field(default_factory=Counter)
    unexplained: int = 0
    dialects: dict[str, Spoken] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
        """Take what was found in one exchange."""
        self.exchanges += 1
        self.streams += verdict.streams
        self.payloads.update(verdict.payloads)
        for finding in verdict.findings:
            self.severities[finding.severity] += 1
            self.unexplained += not finding.explained_by
        if verdict.speaks is not None:
            spoken = self.dialects.setdefault(verdict.speaks, Spoken())
            spoken.exchanges += 1
            spoken.sure += verdict.attribution is None or verdict.attribution.first.confidence >= SURE
            spoken.explained += sum(1 for finding in verdict.findings if finding.explained_by)
            spoken.unexplained += sum(1 for finding in verdict.findings if not finding.explained_by)
        self.findings.extend(verdict.findings)

    @property
    def failed(self) -> bool:
        """Whether there is a finding at or above ``fail_on``."""
        return any(count for severity, count in self.severities.items() if severity >= self.fail_on)

    @property
    def verdict(self) -> str:
        """``conforms``, ``deviates`` or ``nothing-checked``."""
        return "nothing-checked" if not self.exchanges else "deviates" if self.failed else "conforms"
