"""Make a run with its cases from outcomes, for the reporters."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from isogloss.cli import reporters
from isogloss.cli.checking.probed import ProbedAnswer, ProbedCase
from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.cases.meaning import standings
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.probe.transport import HttpAnswer
from isogloss.validator.exchange import Skipped, Why
from isogloss.validator.findings import Severity

__all__ = ["probed_answer", "run_settings", "sum_up"]

_LONGEST_BODY = 65_536
"""The longest part of a body that a report quotes, in characters. The record has the whole body."""


def run_settings(formats: Collection[str], fail_on: Severity) -> RunSettings:
    """Return the settings of a run that keeps what reports in these formats show."""
    return RunSettings(
        fail_on,
        has_contexts=any(reporters.shows_contexts(name, "usual") for name in formats),
        has_survey=any(reporters.format_of(name).shows_survey for name in formats),
    )


def sum_up(outcomes: Iterable[Outcome], settings: RunSettings, *, recorded: bool) -> Run:
    """Add up the outcomes in a new run.

    Cases without a verdict are listed as skipped.
    """
    run = Run(settings)
    run.cases = []
    for outcome in outcomes:
        for judged in outcome.judged:
            run.merge(judged.run)
            run.files += recorded
        if outcome.standing == "inconclusive":
            run.skipped.append(Skipped(file=outcome.case.name, why=Why(outcome.reason)))
        run.cases.append(_probed_case(outcome))
    return run


def _probed_case(outcome: Outcome) -> ProbedCase:
    return ProbedCase(
        name=outcome.case.name,
        what=outcome.case.what,
        standing=outcome.standing,
        reason=outcome.reason,
        seconds=outcome.seconds,
        answers=tuple(answer.shown for answer in outcome.judged),
        findings=tuple(outcome.findings),
        group=outcome.case.group,
        tests=outcome.case.tests,
        why=outcome.case.why,
        thread=outcome.case.thread,
        meaning=standings(outcome.case).get(outcome.standing, ""),
        repeated=outcome.repeated,
    )


def probed_answer(answer: HttpAnswer, request: str, body: str) -> ProbedAnswer:
    """Return an answer in the form that reporters show.

    The bodies are those of its record, which holds no keys. Each is cut after 65,536 characters.
    """
    return ProbedAnswer(
        status=answer.status,
        first_byte=answer.first_byte,
        seconds=answer.seconds,
        request=request[:_LONGEST_BODY],
        answer=body[:_LONGEST_BODY],
        size=len(answer.body),
    )
