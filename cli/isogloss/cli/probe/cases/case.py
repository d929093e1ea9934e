"""One case of a probe: a request, what the answer to it must be, and why that matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

import orjson

from isogloss.cli.probe.answer_checks import Completion

__all__ = ["NEWER_LIMIT", "OLDER_LIMIT", "Case", "Key"]

NEWER_LIMIT = "max_completion_tokens"
"""The name of the limit that cases send. Some servers refuse it."""
OLDER_LIMIT = "max_tokens"
"""The name that is sent in its place then. Some servers refuse this one, too."""

Key = Literal["right", "wrong", "none"]


@dataclass(frozen=True, slots=True)
class Case:
    """A request, what the answer to it must be, and why that matters.

    ``tests`` is the parameter or feature that the case is about, ``why`` says what breaks without it, and ``thread`` is
    where somebody reported that. ``body`` is the request without its model, or the exact bytes to send. A ``GET`` has
    none. The status of the answer must be one of ``expected``, and the code of a refusal ``expected_code``. ``expects``
    returns what the answered completion lacks (see ``answer_checks``), or ``None``. ``compares`` returns how a
    completion differs from an earlier one that answered the same request, or ``None``.

    The request is sent ``times`` times, one after the other. ``then`` are requests that follow on the same connection.
    With ``in_parallel`` the request is sent alone, and then several times in parallel. With ``leaves`` the client
    closes the connection in the middle of the answer, and then sends the requests of ``then``. With ``simplest``, a
    refusal is not about what the request asks for, since it asks for nothing special. With ``distinct``, the ids of the
    answers must differ. With ``sent_once``, the request is sent only one time, because it is costly. Findings of
    ``excused`` rules say nothing about the server, since the request caused them.
    """

    name: str
    what: str
    tests: str
    why: str
    thread: str
    body: Mapping[str, Any] | bytes | None
    _: KW_ONLY
    group: str
    expected: tuple[int, ...] = (200,)
    expected_code: str | None = None
    expects: Callable[[Completion], str | None] | None = None
    compares: Callable[[Completion, Completion], str | None] | None = None
    times: int = 1
    then: tuple[Mapping[str, Any], ...] = ()
    method: Literal["GET", "POST"] = "POST"
    model: str | None = None
    path: str | None = None
    key: Key = "right"
    in_parallel: bool = False
    leaves: bool = False
    distinct: bool = False
    simplest: bool = False
    sent_once: bool = False
    excused: tuple[str, ...] = ()

    @property
    def refusal(self) -> bool:
        """Whether the request is wrong on purpose."""
        return min(self.expected) >= 400

    @property
    def groups(self) -> tuple[str, ...]:
        """The names that choose the case besides its own: its group, and ``streams`` if the request is for a stream."""
        streamed = isinstance(self.body, Mapping) and self.body.get("stream")
        return (self.group, "streams") if streamed else (self.group,)

    @property
    def last(self) -> bool:
        """Whether the case is sent after all others, because of what it may do to the server or to the key."""
        return self.in_parallel or self.leaves or self.sent_once or self.key != "right"

    def with_limit(self, name: str | None) -> Case:
        """Return the case with another limit than ``max_completion_tokens``, or none, unless the case is about that."""
        if NEWER_LIMIT in self.tests:
            return self
        body = _rename_limit(self.body, name) if isinstance(self.body, Mapping) else self.body
        excused = (*self.excused, "deprecated-property") if name == OLDER_LIMIT else self.excused
        return replace(self, body=body, then=tuple(_rename_limit(one, name) for one in self.then), excused=excused)

    def requests(self, model: str) -> list[bytes | None]:
        """Return the bodies to send, in order, with ``None`` for a request without a body."""
        return [_body_bytes(body, self.model or model) for body in (*[self.body] * self.times, *self.then)]


def _rename_limit(body: Mapping[str, Any], new: str | None) -> Mapping[str, Any]:
    renamed = ((new if name == NEWER_LIMIT else name, value) for name, value in body.items())
    return {name: value for name, value in renamed if name is not None}


def _body_bytes(body: Mapping[str, Any] | bytes | None, model: str) -> bytes | None:
    return orjson.dumps({"model": model, **body}) if isinstance(body, Mapping) else body
