"""Judge the answers of a probe in another thread, before the deadline, and record every answer that was judged."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.failures import why_simplest_is_refused
from isogloss.cli.probe.outcome import JudgedAnswer, is_busy, lacks
from isogloss.cli.probe.recording import SentRequest, mark_inconclusive, read_back, record
from isogloss.cli.probe.summing_up import probed_answer
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import HttpAnswer, Unanswered
from isogloss.cli.process import internal, output
from isogloss.validator.exchange import Body
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.wire.unexpected_status import is_conclusive

__all__ = ["AnswerJudge", "JudgingFailed", "Plan"]

_GRACE = 0.5
"""Seconds for judging an answer that came just before the deadline."""
_WORD_WITH_DIGIT = re.compile(rb"[\w-]*\d[\w-]*")
"""What may differ between two refusals for the same reason: an id, a time, a count."""


class JudgingFailed(Exception):
    """isogloss itself failed on an answer. The message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The cases to send to a server, and how to send them.

    ``folder`` is where records are written. One answer may take ``seconds``, and all answers together ``deadline``
    seconds. ``excused`` are rules whose findings say something about the model only, and nothing about the server.
    Each answer is counted in a run of its own, with ``run_settings``.
    """

    target: Target
    model: str
    cases: Sequence[Case]
    folder: Path | None
    jobs: int
    seconds: float
    deadline: float
    run_settings: RunSettings
    excused: tuple[str, ...] = ()


class AnswerJudge:
    """Judges one answer after the other until ``end``, a time of the monotonic clock.

    Only answers that were judged are recorded, so that a check of the records has the same findings as the probe.
    """

    def __init__(self, plan: Plan, judge: Judge) -> None:
        self.end = time.monotonic() + plan.deadline
        self._plan = plan
        self._judge = judge
        self._thread = ThreadPoolExecutor(1)
        self._refusal: tuple[int, bytes] | None = None
        """The status and the words of the refusal, if the simplest request is refused."""

    async def judge_answer(self, case: Case, sent: SentRequest, answer: HttpAnswer, name: str) -> JudgedAnswer:
        """Return the verdict on an answer, and record it under a name.

        Raises :class:`Unanswered` when there was no time, and :class:`JudgingFailed` when isogloss itself failed.
        """
        folder = self._plan.folder
        file = name if folder is None else str(folder / name)
        try:
            async with asyncio.timeout(max(self.end - time.monotonic(), _GRACE)):
                judging = asyncio.get_running_loop().run_in_executor(
                    self._thread, self._judged, case, sent, answer, file
                )
                data, judged = await judging
        except TimeoutError:
            raise Unanswered("answered, and not judged before the deadline") from None
        except Exception as error:  # the other cases continue
            raise JudgingFailed(internal.describe(error)) from error
        if folder is not None:
            with output.open_atomic(folder / name) as out:
                out.write(data.decode())
        return judged

    def close(self) -> None:
        """Judge nothing more. An answer that is being judged is judged to its end, but nobody waits for it."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _judged(self, case: Case, sent: SentRequest, answer: HttpAnswer, file: str) -> tuple[bytes, JudgedAnswer]:
        """Return the record of an answer, and the answer with its findings."""
        missing = self._refused_like_simplest(case, answer)
        if missing is not None:
            sent = replace(sent, expected=(*sent.expected, answer.status), code=None)
        data, request, body = record(self._plan.target, sent, answer)
        if missing is not None:
            data = mark_inconclusive(data, missing)
        exchange = read_back(data, file)
        verdict = self._judge.judge(exchange)
        run = Run(self._plan.run_settings)
        run.add(verdict)
        if missing is None:
            if case.simplest and answer.status >= 400:
                missing = why_simplest_is_refused(self._plan.target, answer.status)
            else:
                missing = lacks(case, exchange, sent.earlier)
            if missing and not any(finding.severity >= Severity.WARNING for finding in run.findings):
                data = mark_inconclusive(data, missing)
        return data, JudgedAnswer(
            sent=sent,
            answer=answer if is_busy(answer.status) else None,
            status=answer.status,
            is_conclusive=is_conclusive(exchange),
            missing=missing,
            run=run,
            attribution=None if isinstance(exchange.response, Body) else verdict.attribution,
            shown=probed_answer(answer, request, body),
        )

    def _refused_like_simplest(self, case: Case, answer: HttpAnswer) -> str | None:
        """Return why a refusal says nothing about its case: the simplest request was refused in the same words.

        Return ``None`` for every other answer.
        """
        is_refusal = answer.status >= 400 and not is_busy(answer.status)
        refusal = (answer.status, _WORD_WITH_DIGIT.sub(b"", answer.body)) if is_refusal else None
        if case.simplest:
            self._refusal = refusal
        elif is_refusal and refusal == self._refusal:
            return f"refused as the simplest request is (status {answer.status})"
        return None
