"""Check every answer that an HTTP client of ``httpx`` receives, and so those of the ``openai`` library, too.

This module does not import ``httpx``. The classes that it needs are those of the objects that a hook is called with.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from isogloss.validator import api
from isogloss.validator.captures.http import has_last_event, host_and_path
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, Budget, Unreadable
from isogloss.validator.captures.traffic import is_chat_path, why_other_path
from isogloss.validator.captures.wrapping.compression import Damaged, decompress_body, encoding_fault
from isogloss.validator.examining.expectations import Expectation
from isogloss.validator.exchange import HttpFacts
from isogloss.validator.findings import Finding
from isogloss.validator.http_faults import fault_of_headers, http_fault
from isogloss.validator.program_values import Received, came_live, request_of
from isogloss.validator.secrets import mask_text

__all__ = ["Answer", "ResponseHook"]

_OTHER_HOOK = "another hook has read it, and did not keep it"
_NOTHING_READ = "the client closed it before it had read anything"
_TOO_LARGE = f"it has more than {LARGEST_DOCUMENT >> 20} MiB"
_BREAKS = frozenset({"NetworkError", "RemoteProtocolError"})
"""The exceptions of ``httpx`` if the other side ends an answer too early."""
_CLOSED_HERE = "ClosedResourceError"
"""The exception of ``anyio`` if this side has closed the connection that it reads from."""


class Answer(NamedTuple):
    """An answer that a client received: its URL, its status, and the result of the check."""

    url: str
    status: int
    result: api.Result


class ResponseHook:
    """An event hook for ``httpx.Client`` and ``httpx.AsyncClient`` that checks every Chat Completions answer.

    Pass it as ``event_hooks={"response": [hook]}``. For a client of ``openai``, pass such an ``httpx`` client as
    ``http_client``. An answer is checked when the client has read it to its end: the hook reads nothing ahead and
    changes no byte. Answers from URLs that are not those of Chat Completions are not checked. ``answers`` holds the
    checked answers, in the order in which they ended. If the client closes an answer before its end, what came before
    that is checked, and ``skipped`` of the result says so. ``each`` is called with every answer. The other options are
    those of :func:`check`. The answer is checked against its request.

    Raises ``ValueError`` for an unknown dialect or rule, and for an expectation that cannot be checked.
    """

    def __init__(
        self,
        *,
        dialect: str = "openai",
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        expect: Iterable[Expectation] = (),
        each: Callable[[Answer], None] | None = None,
    ) -> None:
        self.answers: list[Answer] = []
        names = [one if isinstance(one, str) else tuple(one) for one in (select, ignore)]
        self._check = partial(api.check, dialect=dialect, select=names[0], ignore=names[1], expect=tuple(expect))
        self._check(b"")  # raises for unknown names
        self._each = each

    def __call__(self, response: Any) -> _Awaitable:
        """Arrange that an answer is checked once the client has read it.

        Redirects, and answers from URLs that are not those of Chat Completions, are left alone.
        """
        url, method = str(response.url), response.request.method
        path = host_and_path(url)[1]
        if why_other_path(path, method) or not is_chat_path(path) or 300 <= response.status_code < 400:
            return _AWAITABLE
        on_end = partial(self._on_end, response, url)
        if response.is_stream_consumed:  # by an earlier hook, or because a transport for tests made it from bytes
            try:
                content: bytes | None = response.content
            except RuntimeError:  # it was streamed
                content = None
            on_end(content or b"", skipped=_OTHER_HOOK if content is None else None)
        else:
            encoding = response.headers.get("content-encoding")
            kind: Any = type(response.stream)
            response.stream = _keeping_stream(kind)(response.stream, encoding, on_end)
        return _AWAITABLE

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings in all answers so far."""
        return tuple(finding for answer in self.answers for finding in answer.result.findings)

    def failing(self, fail_on: str = "error") -> tuple[Finding, ...]:
        """Return the findings at or above ``error``, ``warning`` or ``note``.

        Raises ``ValueError`` for another severity.
        """
        return tuple(finding for answer in self.answers for finding in answer.result.failing(fail_on))

    def _on_end(
        self,
        response: Any,
        url: str,
        content: bytes,
        *,
        broken: bool = False,
        left: bool = False,
        fault: str | None = None,
        skipped: str | None,
    ) -> None:
        """Check the content of an answer that is over, or note the reason why it is ``skipped``.

        Add the answer to ``answers``, and call ``each`` with it.
        """
        status: int = response.status_code
        is_live = came_live(response)
        if is_live and not broken and fault is None and (fault := fault_of_headers(response.headers)) is not None:
            broken = True
        if skipped is None:
            facts = HttpFacts(status, response.headers.get("content-type"), broken=broken, left=left, fault=fault)
            result = self._check(Received(content, facts, url, is_live, request_of(response)))
        else:
            result = api.Result(exchanges=0, findings=(), skipped=(skipped,))
        answer = Answer(mask_text(url.partition("?")[0]), status, result)
        self.answers.append(answer)
        if self._each is not None:
            self._each(answer)


class _Awaitable:
    """The return value of a hook: asynchronous clients await it, and others ignore it."""

    def __await__(self) -> Generator[None]:
        return
        yield


_AWAITABLE = _Awaitable()


class _KeepingStream:
    """The stream of a response. It passes on the bytes of another stream, and keeps them until the end."""

    def __init__(self, inner: Any, encoding: str | None, on_end: Callable[..., None]) -> None:
        self._inner = inner
        self._encoding = encoding
        self._on_end: Callable[..., None] | None = on_end
        self._kept = bytearray()

    def __iter__(self) -> Iterator[bytes]:
        try:
            for data in self._inner:
                self._keep(data)
                yield data
        except Exception as error:
            self._end(failure=error)
            raise
        self._end(whole=True)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                self._keep(data)
                yield data
        except Exception as error:
            self._end(failure=error)
            raise
        self._end(whole=True)

    def close(self) -> None:
        """Close the stream. The answer is over then: clients close a stream of events after ``[DONE]``."""
        self._inner.close()
        self._end()

    async def aclose(self) -> None:
        """Close the stream, as :meth:`close` does."""
        await self._inner.aclose()
        self._end()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)  # such as the time that the answer took

    def _keep(self, data: bytes) -> None:
        if len(self._kept) <= LARGEST_DOCUMENT:
            self._kept += data

    def _end(self, *, whole: bool = False, failure: Exception | None = None) -> None:
        """Report that the answer is over: that it is whole, that it is broken, or else that the client left it.

        Do so only once. If its framing or its encoding is wrong, say so: clients close what they cannot decode.
        """
        on_end, self._on_end = self._on_end, None
        if on_end is None:
            return
        if len(self._kept) > LARGEST_DOCUMENT:
            on_end(b"", skipped=_TOO_LARGE)
            return
        sent, budget = bytes(self._kept), Budget()
        budget.read = len(sent)
        broken = failure is not None and _is_break(failure)
        if failure is not None and broken:
            found = http_fault(failure)
            fault = None if found.is_break else found.words
        else:
            fault = encoding_fault(sent, self._encoding)
        content, skipped = b"", None
        try:
            content = decompress_body(sent, self._encoding, budget, whole=whole) if broken or fault is None else b""
        except Unreadable as error:  # of an answer that broke off, the part that came may say nothing
            if not broken and isinstance(error, Damaged):
                fault = error.fault
            elif not broken:
                skipped = f"{error}"
        left = not (whole or broken or fault or has_last_event(content))
        if left and not sent:
            skipped = _NOTHING_READ
        on_end(content, broken=broken, left=left, fault=fault, skipped=skipped)


def _is_break(error: BaseException) -> bool:
    """Return whether the connection broke, when reading an answer failed. Else the client gave up, after a timeout.

    If another task of the client closes the connection, this looks like a break. Its cause has a name of its own.
    """
    names: set[str] = set()
    cause: BaseException | None = error
    while cause is not None:
        names.update(one.__name__ for one in type(cause).__mro__)
        cause = cause.__cause__
    return not names.isdisjoint(_BREAKS) and _CLOSED_HERE not in names


@cache
def _keeping_stream(stream: type) -> type[_KeepingStream]:
    """Make a subclass of :class:`_KeepingStream` that the library of a given stream class accepts as a stream."""
    bases = [one for one in stream.__mro__ if one.__name__ in ("SyncByteStream", "AsyncByteStream")]
    return type("_KeepingStream", (_KeepingStream, *bases), {})
