"""Send the cases to a server, a few at a time, all before a deadline, and make outcomes from the answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from isogloss.cli.probe import transport
from isogloss.cli.probe.cases import AT_ONCE, CASES, NEWER_LIMIT, OLDER_LIMIT, Case
from isogloss.cli.probe.failures import why_all_are_refused, why_no_api, why_simplest_is_refused
from isogloss.cli.probe.judging import AnswerJudge, JudgingFailed, Plan
from isogloss.cli.probe.outcome import JudgedAnswer, Outcome, conclude, is_busy
from isogloss.cli.probe.repeating import join_repeated
from isogloss.cli.probe.sending import Sender
from isogloss.cli.probe.transport import Unanswered
from isogloss.cli.process import signals
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.wire.unexpected_status import failure

if TYPE_CHECKING:
    import httpx2

__all__ = ["CaseOutcomes", "send_cases"]

_STREAM_CASE = "stream"
_SILENT_ROUNDS = 2
"""A server is given up if nothing came of an answer to so many requests in a row, for each that is sent at once."""


class CaseOutcomes(NamedTuple):
    """The outcomes in the order of the cases, and whether Ctrl-C ended the run."""

    outcomes: list[Outcome]
    interrupted: bool


def send_cases(plan: Plan, judge: Judge, on_outcome: Callable[[Outcome], None]) -> CaseOutcomes:
    """Send all cases; ``on_outcome`` is called with each outcome as soon as it is known.

    Ctrl-C and the deadline end the run: a case without an answer is inconclusive then, and so is one on which isogloss
    itself failed. Raises :class:`output.Unwritable` if a record cannot be written.
    """
    probe = _Probe(plan, judge, on_outcome)
    stop_reason = "interrupted"
    try:
        with signals.raising_interrupts():
            stop_reason = asyncio.run(probe.run()) or ""
    except KeyboardInterrupt:
        pass
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    outcomes = [probe.outcomes.get(case.name) or _unanswered(case, probe, stop_reason) for case in plan.cases]
    if probe.parallel_failures and AT_ONCE not in probe.outcomes:
        case = next(case for case in CASES if case.name == AT_ONCE)
        outcomes.append(conclude(case, probe.parallel_failures, 0.0))
    return CaseOutcomes(list(join_repeated(outcomes)), stop_reason == "interrupted")


def _unanswered(case: Case, probe: _Probe, stop_reason: str) -> Outcome:
    """Return the outcome of a case that has none: it was not sent, or it was under way when the run ended."""
    was_begun = case.name in probe.begun
    reason = f"{stop_reason}, before its answer was complete" if was_begun else f"not sent: {stop_reason}"
    return Outcome(case=case, standing="inconclusive", reason=reason, answered=False)


def _refuses(limit: str, outcome: Outcome) -> bool:
    """Return whether the answer is an error that names a limit of tokens, as that of Mistral's API does.

    The status may be any: where a program refuses an option that it does not know by an exception, it is 500.
    """
    return any(answer.status >= 400 and limit in answer.shown.answer for answer in outcome.judged[-1:])


def _failures(outcome: Outcome) -> dict[int, JudgedAnswer]:
    """Return the answers for which a case is sent again, by their number: the server failed on them, or was busy."""
    if outcome.case.sent_once or outcome.case.in_parallel:
        return {}
    return {number: answer for number, answer in enumerate(outcome.judged) if is_busy(answer.status)}


class _Probe:
    def __init__(self, plan: Plan, judge: Judge, done: Callable[[Outcome], None]) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.begun: set[str] = set()
        self._plan = plan
        self._done = done
        self._slots = asyncio.Semaphore(plan.jobs)
        self._judging = AnswerJudge(plan, judge)
        self.parallel_failures: list[JudgedAnswer] = []
        self._silent = 0
        """The number of cases since the last answer in which the server sent nothing."""
        self._why_given_up: str | None = None

    async def run(self) -> str | None:
        """Send the first case alone, and cases that may harm last. Return why cases were left out, if any were.

        A case that fails is sent again alone. If it fails again, it deviates. If it fails only beside other requests,
        the failure belongs to the case that sends several requests in parallel.
        """
        try:
            async with transport.http_client(self._plan.target, self._plan.jobs) as http:
                outcome, cases = await self._send_first(http)
                if stop_reason := self._reason_to_stop(outcome):
                    return stop_reason
                rest = [case for case in cases if case.name != outcome.case.name]
                last = [case for case in rest if case.last]
                parallel = [case for case in rest if not case.last]
                if parallel and parallel[0].name == _STREAM_CASE:  # alone, so that no other request changes its times
                    await self._send_case(http, parallel[0])
                unsent = [case for case in parallel if case.name not in self.outcomes]
                async with asyncio.TaskGroup() as group:
                    for case in unsent:
                        group.create_task(self._send_case(http, case))
                await self._send_failed_again(http, parallel)
                for case in last:
                    await self._send_case(http, case)
                    await self._send_failed_again(http, [case])
            return None
        finally:
            self._judging.close()

    async def _send_first(self, http: httpx2.AsyncClient) -> tuple[Outcome, Sequence[Case]]:
        """Send the first case. Return its outcome, and all cases with the limit of tokens that the server takes.

        A server may take none: then the cases have none. If the case fails, it is sent again, as any other: one failure
        is no reason to give up. It is not if the server takes no more requests.
        """
        cases = self._plan.cases
        first = next((case for case in cases if not case.last), cases[0])
        outcome = await self._send_case(http, first)
        failures = _failures(outcome)
        if failures and outcome.judged[-1].status != 429 and not _refuses(NEWER_LIMIT, outcome):
            outcome = await self._send_again(http, first, failures)
        for refused, limit in ((NEWER_LIMIT, OLDER_LIMIT), (OLDER_LIMIT, None)):
            if not _refuses(refused, outcome):
                break
            status = outcome.judged[-1].status
            outcome = await self._send_case(http, first.with_limit(limit), failed=status)
            if outcome.judged and outcome.judged[-1].status < 400:
                reason = f"with {limit or 'no limit of tokens'}, since {refused} is refused (status {status})"
                self.outcomes[first.name] = replace(outcome, reason=outcome.reason or reason)
                return outcome, [case.with_limit(limit) for case in cases]
        return outcome, cases

    def _reason_to_stop(self, outcome: Outcome) -> str | None:
        if not outcome.reachable:
            return outcome.reason
        if not outcome.judged or outcome.case.refusal:
            return None
        target, status, answer = self._plan.target, outcome.judged[-1].status, outcome.judged[-1].shown.answer
        if status >= 500 and outcome.standing == "inconclusive" and outcome.case.simplest:
            return why_simplest_is_refused(target, status)
        reason = why_all_are_refused(target, status)
        return why_no_api(target, status, answer) if reason is None and outcome.case.simplest else reason

    async def _send_failed_again(self, http: httpx2.AsyncClient, cases: Sequence[Case]) -> None:
        """Send the cases again that failed, or for which the server was busy, one at a time."""
        for case in cases:
            if not (failures := _failures(self.outcomes[case.name])):
                continue
            outcome = await self._send_again(http, case, failures)
            if any(answer.status == 429 for answer in outcome.judged[-1:]):  # every further request would make it worse
                return
            if self._plan.jobs > 1 and not case.last:
                statuses_alone = {number: answer.status for number, answer in enumerate(outcome.judged)}
                recovered = [
                    (one, status)
                    for number, one in failures.items()
                    if (status := statuses_alone.get(number)) and not is_busy(status)
                ]
                await self._judge_parallel_failures(case, recovered)

    async def _send_again(self, http: httpx2.AsyncClient, case: Case, failures: Mapping[int, JudgedAnswer]) -> Outcome:
        """Send a case again that failed, and return its outcome. If no answer comes, the case keeps the earlier one."""
        previous = self.outcomes[case.name]
        outcome = await self._send_case(http, case, failed=[*failures.values()][-1].status)
        if not outcome.judged:
            self.outcomes[case.name] = previous
        return outcome

    async def _judge_parallel_failures(self, case: Case, failures: Sequence[tuple[JudgedAnswer, int]]) -> None:
        """Judge the answers that failed beside other requests, each with the status that its request got alone."""
        for number, (judged, status_alone) in enumerate(failures, 1):
            name = f"{AT_ONCE}-{case.name}{'' if len(failures) == 1 else f'-{number}'}.json"
            sent = replace(judged.sent, case=AT_ONCE, alone=status_alone)
            if judged.answer is not None:
                self.parallel_failures.append(await self._judging.judge_answer(case, sent, judged.answer, name))

    async def _send_case(self, http: httpx2.AsyncClient, case: Case, *, failed: int | None = None) -> Outcome:
        """Send a case and conclude. ``failed`` is the status with which it failed before, if it is sent again."""
        began = time.monotonic()
        is_about_case = failed is not None and failure(failed) and self._answers_other_cases(case)
        sender = Sender(self._plan, self._judging, http, failed if is_about_case else None)
        try:
            async with nullcontext() if case.last else self._slots:
                began = time.monotonic()
                if self._why_given_up is not None:
                    raise Unanswered(f"not sent: {self._why_given_up}")
                self.begun.add(case.name)
                await sender.send(case)
            judged = [*sender.judged, *(self.parallel_failures if case.in_parallel else ())]
            outcome = conclude(case, judged, time.monotonic() - began)
        except (Unanswered, JudgingFailed) as error:
            reason = str(error)
            if isinstance(error, Unanswered) and not self._answers_other_cases(case):
                reason += error.hint
            outcome = Outcome(
                case=case,
                standing="inconclusive",
                reason=reason,
                judged=tuple(sender.judged),
                seconds=time.monotonic() - began,
                answered=False,
                reachable=not isinstance(error, Unanswered) or error.reachable,
                internal=isinstance(error, JudgingFailed),
            )
            if isinstance(error, Unanswered):
                self._count_silence(error)
        if outcome.judged:
            self._silent = 0
        self.outcomes[case.name] = outcome
        if failed is None:
            self._done(outcome)
        return outcome

    def _count_silence(self, error: Unanswered) -> None:
        """Count a case of whose answer nothing came, and give the server up if there are too many in a row."""
        self._silent += error.silent
        if self._why_given_up is None and self._silent >= _SILENT_ROUNDS * self._plan.jobs:
            self._why_given_up = f"{self._silent} requests in a row had no answer: {error}"

    def _answers_other_cases(self, case: Case) -> bool:
        """Return whether the server answers other cases, so that a failure says something about this case."""
        return any(
            outcome.case is not case and any(judged.status < 400 for judged in outcome.judged)
            for outcome in self.outcomes.values()
        )
