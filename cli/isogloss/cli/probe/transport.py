"""Send one HTTP request and read its answer: the raw bytes, and when they came, within limits of time and size."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from isogloss.cli.probe.connecting import make_client
from isogloss.cli.probe.encodings import Undecodable, decode_body
from isogloss.cli.probe.failures import (
    Redirected,
    cause_of,
    framing_fault,
    hint_on_silence,
    message_of,
    why_no_http,
    why_not_followed,
    why_unreachable,
)
from isogloss.cli.probe.target import Target
from isogloss.validator.captures.limits import TooLarge
from isogloss.validator.http_faults import fault_of_headers, http_fault
from isogloss.validator.quoting import printable

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "HttpAnswer", "HttpRequest", "Unanswered", "exchange", "http_client", "leave_early",
]  # fmt: skip

_LARGEST_ANSWER = 16 << 20
"""The largest body that is read by default, in bytes, before and after decompression."""

_NO_STATUS = 0
"""Stands in place of the status if no byte of an answer came."""

_TRIES = 3
_LONGEST_WAIT = 10.0
"""The longest ``Retry-After`` that is obeyed, in seconds. If a server wants more, it is busy, and the case
inconclusive.
"""

_PAUSE = 0.2
_SHORTEST_INTERVAL = 0.001
_LAST_EVENT = b"[DONE]"
_SECONDS = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,6})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A response. ``arrivals`` are (bytes so far, seconds since the request) pairs, at most one for each millisecond.

    ``broken`` says that the connection broke before the body was complete; ``body`` is then the part that came.
    ``fault`` says what is wrong with the framing or the encoding of the body, so that nobody can read all of it.
    ``alone`` says that no other request was under way at the same time, so that this one had to wait for none.
    """

    status: int
    content_type: str | None
    body: bytes = field(repr=False)
    arrivals: tuple[tuple[int, float], ...] = field(repr=False)
    seconds: float
    broken: bool = False
    fault: str | None = None
    alone: bool = False

    @property
    def first_byte(self) -> float | None:
        """The seconds from the request to the first byte of the body; ``None`` if there is none."""
        return self.arrivals[0][1] if self.arrivals else None


class HttpRequest(NamedTuple):
    """A request to send, with or without a body, to the Chat Completions endpoint or to the endpoint ``name``.

    ``key`` says whether the key is right, wrong or left out. With ``sent_once``, the request is sent only one time,
    whatever happens. With ``reused``, it is sent over an open connection. If that connection breaks before anything
    came, this counts as an answer without a status.
    """

    body: bytes | None
    method: str = "POST"
    name: str | None = None
    key: str = "right"
    sent_once: bool = False
    reused: bool = False


class Unanswered(Exception):
    """There is no response to judge. The message says why.

    ``reachable`` is false if no response can be had at this address, or none came in time. ``silent`` is true if
    nothing came of one. ``hint`` says what to try if no other request is answered either.
    """

    def __init__(self, reason: str, *, reachable: bool = True, silent: bool = False, hint: str = "") -> None:
        super().__init__(reason)
        self.reachable = reachable
        self.silent = silent
        self.hint = hint


def http_client(target: Target, jobs: int, *, keeps: bool = False) -> AbstractAsyncContextManager[httpx2.AsyncClient]:
    """Make the HTTP client. Raises ``click.UsageError`` if the environment names a proxy that cannot be used.

    It uses a connection again only if it ``keeps`` them: bytes that a server sends behind the end of an answer would be
    the next answer on that connection, and the wrong case would be blamed.
    """
    import httpx2

    return make_client(
        httpx2.AsyncClient,
        target,
        timeout=None,  # :func:`exchange` limits the whole time, which timeouts of single reads cannot
        limits=httpx2.Limits(max_connections=jobs, max_keepalive_connections=jobs if keeps else 0),
    )


async def exchange(
    http: httpx2.AsyncClient,
    target: Target,
    request: HttpRequest,
    *,
    seconds: float,
    largest: int = _LARGEST_ANSWER,
    last: bool = False,
) -> HttpAnswer:
    """Send a request and read the answer within a number of seconds.

    ``last`` means that these seconds are all that is left before the deadline of the whole run. The message of an error
    then says so.

    No body with more than ``largest`` bytes is read, before or after decompression.

    A request is sent again, a few times, if it could not connect, or if it got status 429 with ``Retry-After``. It is
    sent again once if the connection broke. If the connection breaks again, the answer has the part of the body that
    came, if there was one. A request is sent only one time if it has ``sent_once`` or ``reused``, or not the right key.

    Raises :class:`Unanswered`, with a message without secrets.
    """
    import httpx2

    progress = _Progress()
    try:
        async with asyncio.timeout(seconds) as limit:
            return await _send_with_retries(http, target, request, progress, largest, limit)
    except TimeoutError:
        deadline_note = ", all that was left before the deadline" if last else ""
        reason = f"no whole answer within {seconds:.3g} s{deadline_note}: {progress}"
        is_silent = progress.status is None
        hint = "; --timeout gives it more time, and --wait waits for a server that starts" if is_silent else ""
        unanswered = Unanswered(reason, reachable=not is_silent, silent=is_silent, hint=hint)
    except TooLarge as error:
        unanswered = Unanswered(str(error))
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, ssl.SSLError) as error:
        unanswered = Unanswered(why_unreachable(target, error), reachable=False, silent=True)
    except httpx2.RemoteProtocolError as error:
        fault = http_fault(error)
        is_silent = fault.is_break and progress.status is None
        hint = hint_on_silence(target) if is_silent else ""
        reason = f"no valid HTTP answer came: {why_no_http(target, error)}"
        unanswered = Unanswered(reason, reachable=fault.is_http, silent=is_silent, hint=hint)
    except (httpx2.TransportError, OSError) as error:
        is_silent = progress.status is None
        hint = hint_on_silence(target) if is_silent else ""
        reason = f"the connection failed: {message_of(target, error)}: {progress}"
        unanswered = Unanswered(reason, silent=is_silent, hint=hint)
    except Redirected as error:
        unanswered = Unanswered(why_not_followed(target, error), reachable=False)
    if progress.part is not None:
        return progress.part
    raise unanswered


async def _send_with_retries(
    http: httpx2.AsyncClient,
    target: Target,
    request: HttpRequest,
    progress: _Progress,
    largest: int,
    limit: asyncio.Timeout,
) -> HttpAnswer:
    """Send a request, and again where :func:`exchange` says so. Return the last answer, or raise its exception."""
    import httpx2

    is_single_try = request.sent_once or request.reused or request.key != "right"
    for tries_left in reversed(range(1 if is_single_try else _TRIES)):
        try:
            answer, wait = await _send_once(http, target, request, progress, largest)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if not tries_left or cause_of(error, ssl.SSLError):
                raise
            await asyncio.sleep(_PAUSE)
            continue
        except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
            if request.reused and progress.status is None:
                return HttpAnswer(
                    status=_NO_STATUS,
                    content_type=None,
                    body=b"",
                    arrivals=(),
                    seconds=0.0,
                    broken=True,
                    fault=framing_fault(target, error),
                )
            if not tries_left or progress.breaks > 1:
                raise
            continue
        if answer.broken and answer.fault is None and not is_single_try and progress.breaks < 2:
            progress.part = answer
            continue
        remaining = (limit.when() or 0.0) - asyncio.get_running_loop().time()
        if wait is None or wait > min(_LONGEST_WAIT, remaining) or not tries_left:
            break
        await asyncio.sleep(wait)
    return answer


async def leave_early(http: httpx2.AsyncClient, target: Target, request: HttpRequest, *, seconds: float) -> bool:
    """Send a request, and close the connection as soon as a part of the body came. Return whether a part came."""
    import httpx2

    with suppress(TimeoutError, httpx2.TransportError, OSError):
        async with asyncio.timeout(seconds), _response(http, target, request) as response:
            async for _part in response.aiter_raw():
                return True
    return False


@dataclass(slots=True)
class _Progress:
    """How much of an answer was read, how often the connection broke, and the answer that broke off.

    ``announced`` is the length of the body that the server announced, if it did.
    """

    status: int | None = None
    announced: str | None = None
    body: bytearray = field(default_factory=bytearray)
    breaks: int = 0
    part: HttpAnswer | None = None

    def __str__(self) -> str:
        if self.status is None:
            return "no headers came"
        is_done = self.body[-len(_LAST_EVENT) - 4 :].rstrip().endswith(_LAST_EVENT)
        end = ", and the body does not end after [DONE]" if is_done else ""
        of = "" if self.announced is None else f" of {printable(self.announced)[:20]}"
        return f"status {self.status} and {len(self.body):,}{of} bytes came{end}"


class _RequestCounter:
    """Counts the requests that are under way."""

    def __init__(self) -> None:
        self._open = self._begun = 0

    @asynccontextmanager
    async def request(self) -> AsyncIterator[Callable[[], bool]]:
        """Count a request as long as it is under way.

        Yield a function that returns whether no other request has been under way at the same time.
        """
        alone = not self._open
        self._open += 1
        self._begun += 1
        number = self._begun
        try:
            yield lambda: alone and self._begun == number
        finally:
            self._open -= 1


_REQUEST_COUNTER = _RequestCounter()


async def _send_once(
    http: httpx2.AsyncClient, target: Target, request: HttpRequest, progress: _Progress, largest: int
) -> tuple[HttpAnswer, float | None]:
    """Send the request one time and return the answer.

    Return with it the seconds after which the server wants the next try, or ``None`` if it does not name them in an
    answer with status 429.
    """
    import httpx2

    sent = time.monotonic()

    async def note_sending(event: str, _details: object) -> None:
        nonlocal sent
        if event.endswith("send_request_headers.started"):
            sent = time.monotonic()  # to connect takes time that says nothing about the answer

    progress.status, progress.body = None, bytearray()
    try:
        async with _REQUEST_COUNTER.request() as alone, _response(http, target, request, note_sending) as response:
            progress.status, progress.announced = response.status_code, response.headers.get("content-length")
            if response.is_redirect:
                raise Redirected(response.status_code, response.headers.get("location"))
            answer = await _read_answer(response, target, progress, sent, largest)
            return replace(answer, alone=alone()), _retry_after(response) if answer.status == 429 else None
    except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError):
        progress.breaks += 1
        raise


async def _read_answer(
    response: httpx2.Response, target: Target, progress: _Progress, sent: float, largest: int
) -> HttpAnswer:
    """Read the body of a response to its end, or as far as it comes, and decode it. ``sent`` is when it was asked."""
    import httpx2

    arrivals: list[tuple[int, float]] = []
    broken, fault = False, None
    try:
        await _receive(response, progress.body, arrivals, sent, largest)
    except (httpx2.ReadError, httpx2.RemoteProtocolError, ssl.SSLError) as error:
        broken, fault = True, framing_fault(target, error)
        progress.breaks += 1
    if not broken and (fault := fault_of_headers(response.headers)) is not None:
        broken = True
    try:
        encoding = response.headers.get("content-encoding", "")
        body = decode_body(bytes(progress.body), encoding, largest, whole=not broken)
    except Undecodable as error:
        body, fault = b"", str(error)  # compressed, it could hold a key that nobody can mask
    return HttpAnswer(
        status=response.status_code,
        content_type=response.headers.get("content-type"),
        body=body,
        arrivals=tuple(arrivals),
        seconds=time.monotonic() - sent,
        broken=broken,
        fault=fault,
    )


async def _receive(
    response: httpx2.Response, body: bytearray, arrivals: list[tuple[int, float]], sent: float, largest: int
) -> None:
    """Add what comes to ``body``, and to ``arrivals`` when it came, counted from the time ``sent``.

    Raises :class:`Unanswered` if it is too large.
    """
    async for part in response.aiter_raw():
        body += part
        elapsed = time.monotonic() - sent
        if len(arrivals) > 1 and elapsed - arrivals[-1][1] < _SHORTEST_INTERVAL:
            arrivals.pop()
        arrivals.append((len(body), elapsed))
        if len(body) > largest:
            raise Unanswered(f"the answer is larger than {largest >> 20} MiB")


def _response(
    http: httpx2.AsyncClient,
    target: Target,
    request: HttpRequest,
    trace: Callable[[str, object], Awaitable[None]] | None = None,
) -> AbstractAsyncContextManager[httpx2.Response]:
    """Send a request. The response is open until the context ends. ``trace`` is called with each step of the client."""
    type_header = {} if request.body is None else {"content-type": "application/json"}
    headers = {**type_header, "accept": "*/*", **target.headers_with(request.key)}
    extensions = {} if trace is None else {"trace": trace}
    url = target.endpoint(request.name)
    return http.stream(request.method, url, headers=headers, content=request.body, extensions=extensions)


def _retry_after(response: httpx2.Response) -> float | None:
    """Return the seconds after which the server wants the next try: a number or, as HTTP allows, a date."""
    after = response.headers.get("retry-after", "")
    if _SECONDS.fullmatch(after):
        return float(after)
    try:
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    except (ValueError, OverflowError):  # no date, or one of numbers that are too large
        return None
