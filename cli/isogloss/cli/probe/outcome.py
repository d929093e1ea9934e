"""Conclude from the judged answers of a case what its outcome is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from isogloss.cli.checking.probed import ProbedAnswer, Repeated
from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.answer_checks import Completion, completion_of
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.recording import SentRequest
from isogloss.cli.probe.transport import HttpAnswer
from isogloss.validator.dialects.attribution import Attribution
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.rules.wire.unexpected_status import failure

__all__ = ["JudgedAnswer", "Outcome", "Standing", "conclude", "is_busy", "lacks"]

Standing = Literal["conforms", "deviates", "unsupported", "inconclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """A judged answer with its findings.

    The ``answer`` itself is kept only if it may have to be judged again, since it may be large. ``is_conclusive`` says
    whether the answer shows anything about the subject of its case. ``missing`` says what the answer lacks, if it
    does not have what its case is about. ``run`` counts the answer, with its findings.
    """

    sent: SentRequest = field(repr=False)
    answer: HttpAnswer | None = field(repr=False)
    status: int
    is_conclusive: bool
    missing: str | None
    run: Run = field(repr=False)
    attribution: Attribution | None = field(repr=False)
    shown: ProbedAnswer = field(repr=False)

    @property
    def findings(self) -> list[Finding]:
        """The findings in the answer."""
        return self.run.findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a case, with a reason if one is needed.

    ``answered`` is false if an answer is missing, or shows nothing about the subject of the case.
    ``reachable`` is false if the server could not be reached.
    ``internal`` is true if isogloss itself failed.
    ``repeated`` says how often the case conformed, if it was sent several times.
    """

    case: Case
    standing: Standing
    reason: str = ""
    judged: tuple[JudgedAnswer, ...] = ()
    seconds: float = 0.0
    answered: bool = True
    reachable: bool = True
    internal: bool = False
    repeated: Repeated | None = None

    @property
    def findings(self) -> list[Finding]:
        """The findings in all exchanges of the case."""
        return [finding for answer in self.judged for finding in answer.findings]


def conclude(case: Case, judged: Sequence[JudgedAnswer], seconds: float) -> Outcome:
    """Return the outcome of a case that was answered.

    The findings decide first, then the status, then what the answer lacks. A finding that is at least a warning means
    that the case deviates. Without one, a refusal of what the reference accepts means that it is unsupported; but a
    refusal of the simplest request says nothing. Findings in an answer that shows nothing about what the request was
    for, like that of a busy server, decide nothing.
    """
    standing, reason = _standing(case, judged)
    is_conclusive = all(answer.is_conclusive and not (answer.missing and answer.status >= 400) for answer in judged)
    return Outcome(
        case=case, standing=standing, reason=reason, judged=tuple(judged), seconds=seconds, answered=is_conclusive
    )


def is_busy(status: int) -> bool:
    """Return whether the status means that the server fails or is busy, which no case provokes."""
    return status == 429 or failure(status)


def lacks(case: Case, exchange: Exchange, earlier: Completion | None) -> str | None:
    """Return what an answer lacks of what its case is about, or ``None`` if nothing is missing.

    If the case compares answers, compare this one with the earlier one. A refusal lacks nothing.
    """
    status = exchange.http.status
    if status is not None and status >= 400:
        return None
    if case.key != "right":
        return "the server takes any key" if case.key == "wrong" else "the server needs no key"
    compares = case.compares if earlier is not None else None
    if case.expects is None and compares is None:
        return None
    completion = completion_of(exchange)
    if completion is None:
        return "no completion was answered"
    missing = case.expects(completion) if case.expects is not None else None
    return compares(earlier, completion) if missing is None and compares and earlier is not None else missing


def _standing(case: Case, judged: Sequence[JudgedAnswer]) -> tuple[Standing, str]:
    conclusive = [answer for answer in judged if answer.is_conclusive]
    refused = next((answer.missing for answer in judged if answer.missing and answer.status >= 400), "")
    if any(finding.severity >= Severity.WARNING for answer in conclusive for finding in answer.findings):
        return "deviates", refused
    for answer in judged:
        if not answer.is_conclusive:
            return "inconclusive", answer.missing or f"status {answer.status}"
    if refused:
        return "inconclusive", refused
    for answer in judged:
        if answer.status >= 400 and answer.status not in case.expected and answer.sent.expected == case.expected:
            return "unsupported", f"status {answer.status}"
    if case.in_parallel and len(judged) < 2:
        return "inconclusive", "with --jobs 1 nothing is sent in parallel"
    missing = next((answer.missing for answer in judged if answer.missing), None)
    return ("inconclusive", missing) if missing else ("conforms", "")
