"""Send the cases to a server, a few at a time, all before a deadline, and make outcomes of the answers."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from isogloss.cli import internal, output
from isogloss.cli.probe import transport
from isogloss.cli.probe.cases import AT_ONCE, CASES, Case
from isogloss.cli.probe.outcome import Judged, Outcome, concluded, missed
from isogloss.cli.probe.recording import Asked, forget, record
from isogloss.cli.probe.summing_up import shown
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import Answer, Unanswered
from isogloss.cli.probe.worker import Worker
from isogloss.cli.summary import Run
from isogloss.validator import captures
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.wire.unexpected_status import failure, settles

if TYPE_CHECKING:
    import httpx2

__all__ = ["Failed", "Plan", "Results", "ask", "read_back"]

_POINTLESS = {
    401: "the key is refused",
    403: "the key is refused",
    404: "there is no such endpoint or model",
    429: "the server takes no more requests",
}
"""Statuses of the first answer that make all further ones pointless: wrong keys are not tried again and again."""

_LARGEST_ANSWER = 4 << 20
"""Bytes of the largest answer to a case, which asks for a few words. Judging it takes seconds, and some 200 MB."""

_GRACE = 0.5
"""Seconds for judging an answer that came just before the deadline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to send to which server.

    ``folder`` is where records are written. One answer may take ``seconds``, and all together ``deadline`` seconds.
    ``empty`` is a run without findings; each answer is counted in one with its settings.
    """

    target: Target
    model: str
    cases: Sequence[Case]
    folder: Path | None
    jobs: int
    seconds: float
    deadline: float
    empty: Run = field(default_factory=lambda: Run(Severity.ERROR))


class Results(NamedTuple):
    """The outcomes in the order of the cases, and whether Ctrl-C ended the run."""

    outcomes: list[Outcome]
    interrupted: bool


def ask(plan: Plan, judge: Judge, done: Callable[[Outcome], None]) -> Results:
    """Send all cases; ``done`` is called with each outcome as soon as it is known.

    Ctrl-C and the deadline end the run: a case without an answer is inconclusive then, and so is one on which isogloss
    itself failed. Records of earlier probes are removed from the folder first. Raises :class:`output.Unwritable` if a
    record cannot be written.
    """
    if plan.folder is not None:
        forget(plan.folder)
    asking = _Asking(plan, judge, done)
    why = "interrupted"
    try:
        why = asyncio.run(asking.run()) or ""
    except KeyboardInterrupt:
        pass
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    outcomes = [
        asking.outcomes.get(case.name)
        or Outcome(case=case, standing="inconclusive", reason=f"not asked: {why}", answered=False)
        for case in plan.cases
    ]
    if asking.beside and AT_ONCE not in asking.outcomes:
        case = next(case for case in CASES if case.name == AT_ONCE)
        outcomes.append(concluded(case, asking.beside, 0.0))
    return Results(outcomes, why == "interrupted")


class Failed(Exception):
    """An internal error on an answer; the message says where."""


class _Asking:
    def __init__(self, plan: Plan, judge: Judge, done: Callable[[Outcome], None]) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._plan = plan
        self._judge = judge
        self._done = done
        self._end = time.monotonic() + plan.deadline
        self._slots = asyncio.Semaphore(plan.jobs)
        self._worker = Worker()
        self.beside: list[Judged] = []

    async def run(self) -> str | None:
        """Send the first case alone, and those with a wrong key last. Returns why cases were left out, if any were.

        What fails beside others is sent again alone, and what only failed beside others belongs to the case that sends
        several requests at once.
        """
        plan = self._plan
        usual = [case for case in plan.cases if not case.wrong_key and not case.at_once] or list(plan.cases)
        try:
            async with transport.client(plan.target, plan.jobs) as http:
                first, *rest = usual
                why = self._pointless(await self._case(http, first))
                if why is None:
                    async with asyncio.TaskGroup() as group:
                        for case in rest:
                            group.create_task(self._case(http, case))
                    if plan.jobs > 1:
                        await self._alone(http, rest)
                    for case in plan.cases:
                        if case not in usual:
                            await self._case(http, case)
            return why
        finally:
            self._worker.close()

    def _pointless(self, outcome: Outcome) -> str | None:
        if not outcome.reachable:
            return outcome.reason
        status = outcome.judged[-1].status if outcome.judged and not outcome.case.refusal else 0
        if status >= 500 and outcome.standing == "inconclusive" and outcome.case is CASES[0]:
            return f"the server fails (status {status})"
        return f"{_POINTLESS[status]} (status {status})" if status in _POINTLESS else None

    async def _alone(self, http: httpx2.AsyncClient, cases: Sequence[Case]) -> None:
        """Send the cases again that failed, or for which the server was busy, one at a time."""
        for case in cases:
            failed = [one for one in self.outcomes[case.name].judged if _is_busy(one.status, case)]
            if not failed:
                continue
            before = self.outcomes[case.name]
            outcome = await self._case(http, case, again=True)
            if not outcome.judged:
                self.outcomes[case.name] = before
            status = outcome.judged[-1].status if outcome.judged else 0
            if status == 429:  # every further request would make it worse
                return
            if status and not _is_busy(status, case):
                for more, one in enumerate(failed, 1):
                    name = f"{AT_ONCE}-{case.name}{'' if len(failed) == 1 else f'-{more}'}.json"
                    asked = replace(one.asked, case=AT_ONCE, alone=status)
                    if one.answer is not None:
                        self.beside.append(await self._judged(case, asked, one.answer, name))

    async def _case(self, http: httpx2.AsyncClient, case: Case, *, again: bool = False) -> Outcome:
        began = time.monotonic()
        judged: list[Judged] = []
        try:
            if case.at_once:
                began = time.monotonic()
                await self._several(http, case, judged)
            else:
                async with self._slots:
                    began = time.monotonic()
                    for number in range(1, case.times + 1):
                        judged.append(await self._once(http, case, "" if case.times == 1 else f"-{number}"))
            outcome = concluded(case, judged, time.monotonic() - began)
        except (Unanswered, Failed) as error:
            outcome = Outcome(
                case=case,
                standing="inconclusive",
                reason=str(error),
                judged=tuple(judged),
                seconds=time.monotonic() - began,
                answered=False,
                reachable=not isinstance(error, Unanswered) or error.reachable,
                internal=isinstance(error, Failed),
            )
        self.outcomes[case.name] = outcome
        if not again:
            self._done(outcome)
        return outcome

    async def _several(self, http: httpx2.AsyncClient, case: Case, judged: list[Judged]) -> None:
        """Send the request alone, and then as many of them at once as may be; what failed beside others comes along."""
        judged.append(await self._once(http, case, "-alone"))
        alone = judged[0].status
        several = range(1, self._plan.jobs + 1) if self._plan.jobs > 1 and alone < 400 else ()
        ended = await asyncio.gather(
            *(self._once(http, case, f"-{number}", alone) for number in several), return_exceptions=True
        )
        judged += [one for one in ended if isinstance(one, Judged)] + self.beside
        for one in ended:
            if isinstance(one, BaseException):
                raise one

    async def _once(self, http: httpx2.AsyncClient, case: Case, suffix: str, alone: int | None = None) -> Judged:
        plan, target = self._plan, self._plan.target
        left = self._end - time.monotonic()
        if left <= 0:
            raise Unanswered("not asked: the deadline has passed")
        body = case.request(plan.model)
        answer = await transport.exchange(
            http,
            target,
            body,
            seconds=min(plan.seconds, left),
            name=case.path,
            wrong=case.wrong_key,
            largest=_LARGEST_ANSWER,
        )
        path = target.path(case.path)
        asked = Asked(body=body, path=path, expected=case.expected, case=case.name, alone=alone)
        return await self._judged(case, asked, answer, f"{case.name}{suffix}.json")

    async def _judged(self, case: Case, asked: Asked, answer: Answer, name: str) -> Judged:
        """The verdict on an answer, made in another thread and before the deadline."""
        plan, judge = self._plan, self._judge

        def judged() -> Judged:
            exchange = read_back(plan.target, asked, answer, plan.folder, name)
            verdict = judge.judge(exchange)
            run = plan.empty.empty()
            run.add(verdict)
            return Judged(
                asked=asked,
                answer=answer if _is_busy(answer.status, case) else None,
                status=answer.status,
                settled=settles(exchange),
                missed=missed(case, exchange),
                run=run,
                attribution=verdict.attribution,
                shown=shown(answer, exchange),
            )

        try:
            async with asyncio.timeout(max(self._end - time.monotonic(), _GRACE)):
                return await self._worker.run(judged)
        except TimeoutError:
            raise Unanswered("answered, and not judged before the deadline") from None
        except output.Unwritable:
            raise
        except Exception as error:  # the other cases go on
            raise Failed(internal.describe(error)) from error


def _is_busy(status: int, case: Case) -> bool:
    return status not in case.expected and (status == 429 or failure(status))


def read_back(target: Target, asked: Asked, answer: Answer, folder: Path | None, name: str) -> Exchange:
    """Return the exchange, read from its record like any capture. If there is a folder, the record is written there."""
    data = record(target, asked, answer)
    if folder is not None:
        with output.replacing(folder / name) as out:
            out.write(data.decode())
        name = str(folder / name)
    found = next(iter(captures.read(captures.Capture(io.BytesIO(data), name), "json")))
    assert isinstance(found, Exchange)  # of a record that names its endpoint, nothing is skipped
    return found
