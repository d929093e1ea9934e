"""Make of outcomes what reporters tell: a run with its cases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from isogloss.cli import reporters
from isogloss.cli.probe.outcome import Outcome
from isogloss.cli.probe.transport import Answer
from isogloss.cli.probed import ProbedAnswer, ProbedCase
from isogloss.cli.summary import Run
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.findings import Severity

__all__ = ["empty_run", "shown", "summed_up"]

_LONGEST_BODY = 65_536
"""Characters of a body that a report quotes; the whole is in the recording."""

_BODIES = ("response", "sse", "response_text", "body_base64")


def empty_run(output_format: str, fail_on: Severity) -> Run:
    """A run without findings that keeps what a report in a format shows."""
    shows_contexts = reporters.shows_contexts(output_format, "usual")
    return Run(fail_on, contexts={} if shows_contexts else None, survey=reporters.survey([output_format]))


def summed_up(outcomes: Iterable[Outcome], empty: Run, *, recorded: bool) -> Run:
    """What the outcomes amount to, in a run like the empty one; cases without a verdict are what was skipped."""
    run = empty.empty()
    run.cases = []
    for outcome in outcomes:
        for one in outcome.judged:
            run.merge(one.run)
            run.files += recorded
        if outcome.standing == "inconclusive":
            run.skipped.append(Skipped(file=outcome.case.name, reason=outcome.reason))
        run.cases.append(_case(outcome, run.fail_on))
    return run


def _case(outcome: Outcome, fail_on: Severity) -> ProbedCase:
    findings = tuple(outcome.findings)
    return ProbedCase(
        name=outcome.case.name,
        what=outcome.case.what,
        standing=outcome.standing,
        reason=outcome.reason,
        seconds=outcome.seconds,
        answers=tuple(one.shown for one in outcome.judged),
        findings=findings,
        failed=any(finding.severity >= fail_on for finding in findings),
    )


def shown(answer: Answer, exchange: Exchange) -> ProbedAnswer:
    """An answer as reporters show it, with the bodies of its record, which holds no keys."""
    record: dict[str, Any] = orjson.loads(exchange.text.data)
    return ProbedAnswer(
        status=answer.status,
        first_byte=answer.first_byte,
        seconds=answer.seconds,
        request=_text(record.get("request", record.get("request_text"))),
        answer=_text(next((record[name] for name in _BODIES if name in record), "")),
        size=len(answer.body),
    )


def _text(body: object) -> str:
    text = body if isinstance(body, str) else orjson.dumps(body).decode()
    return text[:_LONGEST_BODY]
