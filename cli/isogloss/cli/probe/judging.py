"""Judge the answers of a probe in another thread, before the deadline, and record every answer that was judged."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.failures import why_simplest_is_refused
from isogloss.cli.probe.outcome import JudgedAnswer, is_busy, lacks
from isogloss.cli.probe.recording import SentRequest, mark_inconclusive, read_back, record_with_bodies
from isogloss.cli.probe.summing_up import probed_answer
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import HttpAnswer, Unanswered
from isogloss.cli.process import internal, output
from isogloss.validator.exchange import Body
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.wire.unexpected_status import is_conclusive

__all__ = ["AnswerJudge", "JudgingFailed"]

_GRACE = 0.5
"""Seconds for judging an answer that came just before the deadline."""


class JudgingFailed(Exception):
    """isogloss itself failed on an answer. The message says where."""


@dataclass(slots=True, kw_only=True)
class AnswerJudge:
    """Judges one answer after the other until ``end``, a time of the monotonic clock.

    Records go to ``folder``, if there is one. Only answers that were judged are recorded, so that a check of the
    records has the same findings as the probe.
    """

    target: Target
    judge: Judge
    folder: Path | None
    run_settings: RunSettings
    end: float
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    async def judge_answer(self, case: Case, sent: SentRequest, answer: HttpAnswer, name: str) -> JudgedAnswer:
        """Return the verdict on an answer, and record it under a name.

        Raises :class:`Unanswered` when there was no time, and :class:`JudgingFailed` when isogloss itself failed.
        """
        file = name if self.folder is None else str(self.folder / name)
        try:
            async with asyncio.timeout(max(self.end - time.monotonic(), _GRACE)):
                judging = asyncio.get_running_loop().run_in_executor(
                    self._thread, self._judge, case, sent, answer, file
                )
                data, judged = await judging
        except TimeoutError:
            raise Unanswered("answered, and not judged before the deadline") from None
        except Exception as error:  # the other cases continue
            raise JudgingFailed(internal.describe(error)) from error
        if self.folder is not None:
            with output.open_atomic(self.folder / name) as out:
                out.write(data.decode())
        return judged

    def close(self) -> None:
        """Judge nothing more. An answer that is being judged is judged to its end, but nobody waits for it."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _judge(self, case: Case, sent: SentRequest, answer: HttpAnswer, file: str) -> tuple[bytes, JudgedAnswer]:
        """Return the record of an answer, and the answer with its findings."""
        data, request, body = record_with_bodies(self.target, sent, answer)
        exchange = read_back(data, file)
        verdict = self.judge.judge(exchange)
        run = Run(self.run_settings)
        run.add(verdict)
        if case.simplest and answer.status >= 400:
            missing: str | None = why_simplest_is_refused(self.target, answer.status)
        else:
            missing = lacks(case, exchange, sent.earlier)
        if missing and not any(one.severity >= Severity.WARNING for one in run.findings):
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
