"""Send the cases to a server, a few at a time, all before a deadline, and make outcomes of the answers."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from isogloss.cli import internal, output
from isogloss.cli.probe import transport
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.outcome import Judged, Outcome, concluded
from isogloss.cli.probe.recording import Asked, record
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import Answer, Unanswered
from isogloss.validator import captures
from isogloss.validator.exchange import Exchange
from isogloss.validator.judging.judge import Judge

if TYPE_CHECKING:
    import httpx2

__all__ = ["Failed", "Plan", "Results", "ask", "read_back"]

_POINTLESS = {401: "the key is refused", 403: "the key is refused", 404: "there is no such endpoint or model"}
"""Statuses of the first answer that make all further ones pointless: wrong keys are not tried again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to send to which server.

    ``folder`` is where records are written. One answer may take ``seconds``, and all together ``deadline`` seconds.
    """

    target: Target
    model: str
    cases: Sequence[Case]
    folder: Path | None
    jobs: int
    seconds: float
    deadline: float


class Results(NamedTuple):
    """The outcomes in the order of the cases, and whether Ctrl-C ended the run."""

    outcomes: list[Outcome]
    interrupted: bool


def ask(plan: Plan, judge: Judge, done: Callable[[Outcome], None]) -> Results:
    """Send all cases; ``done`` is called with each outcome as soon as it is known.

    Ctrl-C and the deadline end the run: a case without an answer is inconclusive then, and so is one on which isogloss
    itself failed. Raises :class:`output.Unwritable` if a record cannot be written.
    """
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

    async def run(self) -> str | None:
        """Send the first case alone, and those with a wrong key last. Returns why cases were left out, if any were."""
        async with transport.client(self._plan.target, self._plan.jobs) as http:
            first, *rest = [case for case in self._plan.cases if not case.wrong_key] or self._plan.cases
            why = self._pointless(await self._case(http, first))
            if why is None:
                async with asyncio.TaskGroup() as group:
                    for case in rest:
                        group.create_task(self._case(http, case))
                for case in self._plan.cases:
                    if case.wrong_key and case is not first:
                        await self._case(http, case)
        return why

    def _pointless(self, outcome: Outcome) -> str | None:
        if not outcome.reachable:
            return outcome.reason
        status = outcome.judged[-1].status if outcome.judged and not outcome.case.refusal else 0
        return f"{_POINTLESS[status]} (status {status})" if status in _POINTLESS else None

    async def _case(self, http: httpx2.AsyncClient, case: Case) -> Outcome:
        began = time.monotonic()
        judged = []
        async with self._slots:
            began = time.monotonic()
            try:
                for number in range(1, case.times + 1):
                    judged.append(await self._once(http, case, number))
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
        self._done(outcome)
        return outcome

    async def _once(self, http: httpx2.AsyncClient, case: Case, number: int) -> Judged:
        plan, target = self._plan, self._plan.target
        left = self._end - time.monotonic()
        if left <= 0:
            raise Unanswered("not asked: the deadline has passed")
        body = case.request(plan.model)
        answer = await transport.exchange(
            http, target, body, seconds=min(plan.seconds, left), name=case.path, wrong=case.wrong_key
        )
        asked = Asked(body=body, path=target.path(case.path), expected=case.expected, case=case.name)
        name = f"{case.name}.json" if case.times == 1 else f"{case.name}-{number}.json"
        try:
            exchange = read_back(target, asked, answer, plan.folder, name)
            return Judged(exchange, self._judge.judge(exchange))
        except output.Unwritable:
            raise
        except Exception as error:  # the other cases go on
            raise Failed(internal.describe(error)) from error


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
