"""What a case comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.expectations import completion_of
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Verdict
from isogloss.validator.rules.wire.unexpected_status import PASSING

__all__ = ["Judged", "Outcome", "Standing", "concluded"]

Standing = Literal["conforms", "deviates", "unsupported", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Judged:
    """An exchange and what was found in it."""

    exchange: Exchange
    verdict: Verdict

    @property
    def status(self) -> int:
        """The status of the answer."""
        return (self.exchange.response and self.exchange.response.status) or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a case, with a reason if one is needed.

    ``answered`` is false without a complete answer, ``reachable`` is false if the server could not be reached.
    ``internal`` is true if isogloss itself failed.
    """

    case: Case
    standing: Standing
    reason: str = ""
    judged: tuple[Judged, ...] = ()
    seconds: float = 0.0
    answered: bool = True
    reachable: bool = True
    internal: bool = False

    @property
    def findings(self) -> list[Finding]:
        """What was found in all its exchanges."""
        return [finding for one in self.judged for finding in one.verdict.findings]


def concluded(case: Case, judged: Sequence[Judged], seconds: float) -> Outcome:
    """The outcome of a case that was answered: by the findings first, then by the status, then by what was to be seen.

    It deviates from a warning on. Without one, a refusal of what the reference accepts means that it is unsupported.
    """
    standing, reason = _standing(case, judged)
    return Outcome(case=case, standing=standing, reason=reason, judged=tuple(judged), seconds=seconds)


def _standing(case: Case, judged: Sequence[Judged]) -> tuple[Standing, str]:
    if any(finding.severity >= Severity.WARNING for one in judged for finding in one.verdict.findings):
        return "deviates", ""
    for one in judged:
        if case.wrong_key and one.status < 400:
            return "inconclusive", "the server takes any key"
        if one.status >= 400 and one.status not in case.expected:
            return ("inconclusive" if one.status in PASSING else "unsupported"), f"status {one.status}"
    if case.expects is not None:
        for one in judged:
            completion = completion_of(one.exchange)
            missed = "no completion was answered" if completion is None else case.expects(completion)
            if missed:
                return "inconclusive", missed
    return "conforms", ""
