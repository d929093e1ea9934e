"""Send the cases to a server, a few at a time, all before a deadline, and make outcomes of the answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from isogloss.cli.probe import transport
from isogloss.cli.probe.cases import AT_ONCE, CASES, Case
from isogloss.cli.probe.judging import Failed, Judging
from isogloss.cli.probe.outcome import Judged, Outcome, concluded, is_busy
from isogloss.cli.probe.recording import forget
from isogloss.cli.probe.repeating import collapsed
from isogloss.cli.probe.sending import Sender
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import Unanswered
from isogloss.cli.summary import Run
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.rules.wire.unexpected_status import failure

if TYPE_CHECKING:
    import httpx2

__all__ = ["Plan", "Results", "ask"]

_POINTLESS = {
    401: "the key is refused",
    403: "the key is refused",
    404: "there is no such endpoint or model",
    429: "the server takes no more requests",
}
"""Statuses of the first answer that make all further ones pointless: wrong keys are not tried again and again."""

_STREAM = "stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to send to which server.

    ``folder`` is where records are written. One answer may take ``seconds``, and all together ``deadline`` seconds.
    ``excused`` are rules of which a finding would say something of the model alone, and nothing of the server.
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
    excused: tuple[str, ...] = ()


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
    return Results(list(collapsed(outcomes)), why == "interrupted")


class _Asking:
    def __init__(self, plan: Plan, judge: Judge, done: Callable[[Outcome], None]) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._plan = plan
        self._done = done
        self._slots = asyncio.Semaphore(plan.jobs)
        self._judging = Judging(
            target=plan.target,
            judge=judge,
            folder=plan.folder,
            empty=plan.empty,
            end=time.monotonic() + plan.deadline,
        )
        self.beside: list[Judged] = []

    async def run(self) -> str | None:
        """Send the first case alone, and those last that may harm. Returns why cases were left out, if any were.

        What fails is sent again alone: what fails again deviates, and what only failed beside others belongs to the
        case that sends several requests at once.
        """
        plan = self._plan
        usual = [case for case in plan.cases if not case.last] or list(plan.cases)
        try:
            async with transport.client(plan.target, plan.jobs) as http:
                first, *rest = usual
                why = self._pointless(await self._case(http, first))
                if why is None:
                    quiet = rest[:1] if rest and rest[0].name == _STREAM else []
                    for case in quiet:  # alone, so that its times tell of the server
                        await self._case(http, case)
                    async with asyncio.TaskGroup() as group:
                        for case in rest[len(quiet) :]:
                            group.create_task(self._case(http, case))
                    await self._again(http, rest)
                    for case in plan.cases:
                        if case not in usual:
                            await self._case(http, case)
                            await self._again(http, [case])
            return why
        finally:
            self._judging.close()

    def _pointless(self, outcome: Outcome) -> str | None:
        if not outcome.reachable:
            return outcome.reason
        status = outcome.judged[-1].status if outcome.judged and not outcome.case.refusal else 0
        if status >= 500 and outcome.standing == "inconclusive" and outcome.case is CASES[0]:
            return f"the server fails (status {status})"
        return f"{_POINTLESS[status]} (status {status})" if status in _POINTLESS else None

    async def _again(self, http: httpx2.AsyncClient, cases: Sequence[Case]) -> None:
        """Send the cases again that failed, or for which the server was busy, one at a time."""
        for case in cases:
            before = self.outcomes[case.name]
            failed = [one for one in before.judged if is_busy(one.status, case)]
            if not failed or case.once or case.at_once:
                continue
            outcome = await self._case(http, case, failed=failed[-1].status)
            if not outcome.judged:
                self.outcomes[case.name] = before
            status = outcome.judged[-1].status if outcome.judged else 0
            if status == 429:  # every further request would make it worse
                return
            if status and not is_busy(status, case) and self._plan.jobs > 1 and not case.last:
                await self._only_beside(case, failed, status)

    async def _only_beside(self, case: Case, failed: Sequence[Judged], alone: int) -> None:
        """Judge what failed beside other requests by what it got alone."""
        for number, one in enumerate(failed, 1):
            name = f"{AT_ONCE}-{case.name}{'' if len(failed) == 1 else f'-{number}'}.json"
            asked = replace(one.asked, case=AT_ONCE, alone=alone)
            if one.answer is not None:
                self.beside.append(await self._judging.judged(case, asked, one.answer, name))

    async def _case(self, http: httpx2.AsyncClient, case: Case, *, failed: int | None = None) -> Outcome:
        """Send a case and conclude. ``failed`` is the status with which it failed before, if it is sent again."""
        began = time.monotonic()
        sender = Sender(
            judging=self._judging,
            http=http,
            model=self._plan.model,
            seconds=self._plan.seconds,
            jobs=self._plan.jobs,
            excused=self._plan.excused,
            failed=failed if failed is not None and failure(failed) and self._stands(case) else None,
        )
        try:
            if case.last:
                await sender.send(case)
            else:
                async with self._slots:
                    began = time.monotonic()
                    await sender.send(case)
            judged = [*sender.judged, *(self.beside if case.at_once else ())]
            outcome = concluded(case, judged, time.monotonic() - began)
        except (Unanswered, Failed) as error:
            outcome = Outcome(
                case=case,
                standing="inconclusive",
                reason=str(error),
                judged=tuple(sender.judged),
                seconds=time.monotonic() - began,
                answered=False,
                reachable=not isinstance(error, Unanswered) or error.reachable,
                internal=isinstance(error, Failed),
            )
        self.outcomes[case.name] = outcome
        if failed is None:
            self._done(outcome)
        return outcome

    def _stands(self, case: Case) -> bool:
        """Whether the server answers other questions, so that a failure tells of what this one asks for."""
        return any(
            one.case is not case and any(judged.status < 400 for judged in one.judged) for one in self.outcomes.values()
        )
