"""Send the requests of one case in the way that the case defines, and have each answer judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

import orjson

from isogloss.cli.probe import transport
from isogloss.cli.probe.answer_checks import Completion
from isogloss.cli.probe.cases import Case
from isogloss.cli.probe.judging import AnswerJudge, Plan
from isogloss.cli.probe.outcome import JudgedAnswer
from isogloss.cli.probe.recording import SentRequest
from isogloss.cli.probe.transport import HttpAnswer, HttpRequest, Unanswered

if TYPE_CHECKING:
    import httpx2

__all__ = ["Sender"]

_LARGEST_ANSWER = 4 << 20
"""The largest answer to a case, in bytes. Cases request only a few words. To judge such an answer takes seconds, and
about 200 MB.
"""

_PARALLEL_REQUESTS = 8
_ATTEMPTS = 2
"""How often the requests on one connection are tried from the start: a server may close a connection at any time, but
not every time.
"""


@dataclass(slots=True)
class Sender:
    """Sends one case. ``judged`` gets each answer as soon as it is judged.

    ``failed`` is the status with which the case failed before, if it did.
    """

    plan: Plan
    judging: AnswerJudge
    http: httpx2.AsyncClient
    failed: int | None = None
    judged: list[JudgedAnswer] = field(default_factory=list)
    _ids: list[str] = field(default_factory=list)
    _earlier: Completion | None = None

    async def send(self, case: Case) -> None:
        """Send all requests of a case. Raises what judging raises, and :class:`Unanswered` where no answer came."""
        if case.in_parallel:
            await self._send_in_parallel(case)
        elif case.leaves:
            await self._send_after_leaving(case)
        elif case.then:
            await self._send_on_one_connection(case)
        else:
            bodies = case.requests(self.plan.model)
            for number, body in enumerate(bodies, 1):
                answer = await self._answer(self.http, case, body)
                await self._judge(case, body, answer, "" if len(bodies) == 1 else f"-{number}")

    async def _send_in_parallel(self, case: Case) -> None:
        """Send the request alone, and then the same request several times in parallel."""
        [body] = case.requests(self.plan.model)
        answer_alone = await self._answer(self.http, case, body)
        await self._judge(case, body, answer_alone, "-alone")
        if self.plan.jobs == 1 or answer_alone.status >= 400:
            return
        async with transport.http_client(self.plan.target, _PARALLEL_REQUESTS) as http:
            answers = await asyncio.gather(
                *(self._answer(http, case, body) for _ in range(_PARALLEL_REQUESTS)), return_exceptions=True
            )
        for number, answer in enumerate(answers, 1):
            if isinstance(answer, HttpAnswer):
                await self._judge(case, body, answer, f"-{number}", status_alone=answer_alone.status)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer

    async def _send_after_leaving(self, case: Case) -> None:
        """Send a request, close the connection during the answer, and send the next request."""
        first_body, body = case.requests(self.plan.model)
        has_begun = await transport.leave_early(
            self.http, self.plan.target, HttpRequest(first_body, name=case.path), seconds=self._seconds_left()
        )
        if not has_begun:
            raise Unanswered("no stream began from which a client could go away")
        try:
            answer = await self._answer(self.http, case, body)
        except Unanswered as error:
            reason = f"after a client went away: {error}"
            raise Unanswered(reason, reachable=error.reachable, silent=error.silent) from None
        await self._judge(case, body, answer, "")

    async def _send_on_one_connection(self, case: Case) -> None:
        """Send the requests one after the other on a connection that is used by nothing else."""
        bodies = case.requests(self.plan.model)
        answers: list[HttpAnswer] = []
        for _ in range(_ATTEMPTS):
            answers = []
            async with transport.http_client(self.plan.target, 1, keeps=True) as http:
                for body in bodies:
                    answers.append(await self._answer(http, case, body, reused=bool(answers)))
                    if answers[-1].broken or _comes_again(answers):
                        break
            if not answers[-1].broken:
                break
        for number, (body, answer) in enumerate(zip(bodies, answers, strict=False), 1):
            if _comes_again(answers[:number]):
                self._ids += [one for one in [_document(answer).get("id")] if isinstance(one, str)]
            await self._judge(case, body, answer, f"-{number}")

    async def _answer(
        self, http: httpx2.AsyncClient, case: Case, body: bytes | None, *, reused: bool = False
    ) -> HttpAnswer:
        path = self._path(case)
        request = HttpRequest(body, case.method, path, case.key, sent_once=case.sent_once, reused=reused)
        seconds = self._seconds_left()
        return await transport.exchange(
            http,
            self.plan.target,
            request,
            seconds=seconds,
            largest=_LARGEST_ANSWER,
            last=seconds < self.plan.seconds,
        )

    async def _judge(
        self, case: Case, body: bytes | None, answer: HttpAnswer, suffix: str, *, status_alone: int | None = None
    ) -> None:
        sent = SentRequest(
            body=body,
            path=self.plan.target.path(self._path(case)),
            method=case.method,
            expected=case.expected,
            code=case.expected_code,
            case=case.name,
            alone=status_alone,
            before=self.failed,
            ids=tuple(self._ids),
            excused=(*self.plan.excused, *case.excused),
            earlier=self._earlier,
        )
        if case.compares is not None and answer.status < 400:
            self._earlier = _document(answer)
        if case.distinct and (answer_id := _document(answer).get("id")) not in self._ids and isinstance(answer_id, str):
            self._ids.append(answer_id)
        self.judged.append(await self.judging.judge_answer(case, sent, answer, f"{case.name}{suffix}.json"))

    def _path(self, case: Case) -> str | None:
        return None if case.path is None else case.path.replace("{model}", quote(self.plan.model, safe=""))

    def _seconds_left(self) -> float:
        remaining = self.judging.end - time.monotonic()
        if remaining <= 0:
            raise Unanswered("not sent: the deadline has passed")
        return min(self.plan.seconds, remaining)


def _comes_again(answers: Sequence[HttpAnswer]) -> bool:
    """Return whether the last answer on a connection is the one before, byte for byte, though the requests differ."""
    return len(answers) > 1 and answers[-1].body == answers[-2].body and "choices" in _document(answers[-1])


def _document(answer: HttpAnswer) -> Completion:
    """Return an answer that is one JSON object, else an empty one."""
    try:
        document = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}
