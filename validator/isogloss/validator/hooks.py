"""Checking every answer that an HTTP client of ``httpx`` receives, and so every answer of the ``openai`` library.

Nothing of ``httpx`` is imported here: what a hook is given says of which classes it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from isogloss.validator import api
from isogloss.validator.captures.capture import LARGEST_DOCUMENT, Budget, Unreadable
from isogloss.validator.captures.http import host_and_path
from isogloss.validator.captures.traffic import elsewhere, is_ours
from isogloss.validator.captures.wrapping.compression import decompressed
from isogloss.validator.examining.expectations import Expectation
from isogloss.validator.findings import Finding
from isogloss.validator.secrets import masked

__all__ = ["Answer", "ResponseHook"]

_CLOSED = "the client closed it before its end"
_BROKEN = "the connection broke before its end"
_TOO_LARGE = f"it has more than {LARGEST_DOCUMENT >> 20} MiB"


class Answer(NamedTuple):
    """An answer that a client received: from where, with which status, and what checking it came to."""

    url: str
    status: int
    result: api.Result


class ResponseHook:
    """An event hook for ``httpx.Client`` and ``httpx.AsyncClient`` that checks every Chat Completions answer.

    Pass it as ``event_hooks={"response": [hook]}``, to a client of ``openai`` by ``http_client``. An answer is checked
    when the client has read it to its end: the hook reads nothing ahead and changes no byte. Answers from URLs that
    are not those of Chat Completions are left alone. ``answers`` holds what was checked, in the order in which the
    answers ended; one that the client did not read to its end has a result that says so in ``skipped``. ``each`` is
    called with every answer. The other options are those of :func:`check`, to which the request is passed, too.

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
        self._check(b"")  # which raises for names that nothing has
        self._each = each

    def __call__(self, response: Any) -> _Nothing:
        """Arrange that an answer is checked once the client has read it.

        Redirects, and answers from URLs that are not those of Chat Completions, are left alone.
        """
        url, method = str(response.url), response.request.method
        path = host_and_path(url)[1]
        if elsewhere(path, method) or not is_ours(path) or 300 <= response.status_code < 400:
            return _NOTHING
        ended = partial(self._ended, response, url)
        if response.is_stream_consumed:  # by a hook before this one, or made of bytes by a transport for tests
            content = _content(response)
            ended("another hook has read it, and kept nothing" if content is None else None, content or b"")
        else:
            encoding = response.headers.get("content-encoding")
            kind: Any = type(response.stream)
            response.stream = _passing(kind)(response.stream, encoding, ended)
        return _NOTHING

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings in all answers so far."""
        return tuple(finding for answer in self.answers for finding in answer.result.findings)

    def failing(self, fail_on: str = "error") -> tuple[Finding, ...]:
        """Return the findings at or above ``error``, ``warning`` or ``note``.

        Raises ``ValueError`` for another severity.
        """
        return tuple(finding for answer in self.answers for finding in answer.result.failing(fail_on))

    def _ended(self, response: Any, url: str, reason: str | None, content: bytes = b"") -> None:
        """Check the content of an answer that is over, or note the reason why it cannot be checked.

        Add the answer to ``answers``, and call ``each`` with it.
        """
        status: int = response.status_code
        if reason is None:
            read = _Read(status, response.headers, content, url)
            result = self._check(read, request=_content(response.request) or None)
        else:
            result = api.Result(exchanges=0, findings=(), skipped=(reason,))
        answer = Answer(masked(url.partition("?")[0]), status, result)
        self.answers.append(answer)
        if self._each is not None:
            self._each(answer)


@dataclass(frozen=True, slots=True)
class _Read:
    """A response that has been read, as :func:`isogloss.validator.check` takes it."""

    status_code: int
    headers: Any
    content: bytes
    url: str


class _Nothing:
    """The return value of a hook: an asynchronous client awaits it, and another one ignores it."""

    def __await__(self) -> Generator[None]:
        return
        yield


_NOTHING = _Nothing()


def _content(message: Any) -> bytes | None:
    """Return the body of a request or a response, or ``None`` if it was streamed and not kept."""
    try:
        content: bytes = message.content
    except RuntimeError:
        return None
    return content


class _Passing:
    """The stream of a response. It passes on what another stream gives, and keeps this until the end."""

    def __init__(self, inner: Any, encoding: str | None, ended: Callable[..., None]) -> None:
        self._inner = inner
        self._encoding = encoding
        self._ended: Callable[..., None] | None = ended
        self._kept = bytearray()

    def __iter__(self) -> Iterator[bytes]:
        try:
            for data in self._inner:
                self._keep(data)
                yield data
        except Exception:
            self._end(_BROKEN)
            raise
        self._end(None)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                self._keep(data)
                yield data
        except Exception:
            self._end(_BROKEN)
            raise
        self._end(None)

    def close(self) -> None:
        """Close the stream. The answer is over then: clients close a stream of events after ``[DONE]``."""
        self._inner.close()
        self._end(_CLOSED)

    async def aclose(self) -> None:
        """Close the stream, as :meth:`close` does."""
        await self._inner.aclose()
        self._end(_CLOSED)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)  # such as the time that the answer took

    def _keep(self, data: bytes) -> None:
        if len(self._kept) <= LARGEST_DOCUMENT:
            self._kept += data

    def _end(self, reason: str | None) -> None:
        """Report that the answer is over, with its content or the reason why it is not whole. Do so only once."""
        ended, self._ended = self._ended, None
        if ended is None:
            return
        if len(self._kept) > LARGEST_DOCUMENT:
            ended(_TOO_LARGE)
            return
        budget = Budget()
        budget.read = len(self._kept)
        try:
            content = decompressed(bytes(self._kept), self._encoding, budget)
        except Unreadable as error:
            ended(reason or f"{error}")
            return
        if reason == _CLOSED and content.rstrip().endswith(b"data: [DONE]"):
            reason = None
        ended(reason, content)


@cache
def _passing(stream: type) -> type[_Passing]:
    """Make a subclass of :class:`_Passing` that the library of a given stream class accepts as a stream."""
    bases = [one for one in stream.__mro__ if one.__name__ in ("SyncByteStream", "AsyncByteStream")]
    return type("_Passing", (_Passing, *bases), {})
