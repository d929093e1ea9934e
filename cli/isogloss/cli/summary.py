"""What a run amounts to: everything reporters print, gathered as it is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judge import Verdict

__all__ = ["Run"]


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
        self.findings.extend(verdict.findings)

    @property
    def failed(self) -> bool:
        """Whether there is a finding at or above ``fail_on``."""
        return any(count for severity, count in self.severities.items() if severity >= self.fail_on)

    @property
    def verdict(self) -> str:
        """``conforms``, ``deviates`` or ``nothing-checked``."""
        return "nothing-checked" if not self.exchanges else "deviates" if self.failed else "conforms"
