"""Tell whether recorded traffic is a Chat Completions exchange, from its path, its request and its answer together.

The path decides where it is one of ours or of another API. Any other path, of a gateway or of some other service, says
nothing for it, and request and answer have to. Where no path was recorded, one of the two is enough if the other does
not speak against it.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from isogloss.validator.exchange import Body, NotJson, Payload, Stream
from isogloss.validator.jsontext import MISSING
from isogloss.validator.kinds import answer_kind, is_stream, kind_of, others, why_no_stream, why_not

__all__ = ["NEITHER", "elsewhere", "is_ours", "not_ours"]

NEITHER = "neither a request body nor a response body"
"""Why a part without either is skipped."""


_Body: TypeAlias = Payload | Stream | Body | None


class _Says(Enum):
    """Evidence in a request or a response that it is Chat Completions traffic, or that it is not."""

    YES = "a payload or stream of ours"
    MAYBE = "an error that many APIs send, a body that is no JSON, as gateways send, or a stream without data"
    NOTHING = "nothing"
    NO = "something else"


def is_ours(path: str | None) -> bool:
    """Whether an URL path is that of Chat Completions."""
    return path is not None and path.rstrip("/").endswith("/chat/completions")


def elsewhere(path: str | None, method: str | None) -> str | None:
    """Why traffic is no Chat Completions exchange by its method and path alone, or ``None`` where it may be one."""
    if method is not None and method.upper() != "POST":
        return f"not Chat Completions: {_method(method)} {path or ''}".rstrip()
    if path is not None and (name := others.endpoint(path)):
        return f"not Chat Completions: {path} ({name})"
    return None


def not_ours(
    request: object,
    body: Payload | Stream | Body | None,
    path: str | None,
    method: str | None,
    *,
    recorded: bool = True,
) -> str | None:
    """Why traffic is no Chat Completions exchange, or ``None`` when it is one.

    ``recorded`` says that the capture has marks of HTTP: a status, a content type or a host. Then an answer that stands
    alone and is a failure may be of any shape, for nothing says that it is other traffic.
    """
    if reason := elsewhere(path, method):
        return reason
    if request is None and body is None:
        return NEITHER
    if is_ours(path):
        return None
    asked, answered = _asked(request), _answered(body)
    if path is not None:
        ours = _is_answer(body) or (asked is _Says.YES and answered is not _Says.NO and not _is_strange(body))
    elif request is None:
        ours = answered is _Says.YES or (answered is _Says.MAYBE and recorded)
    elif asked is _Says.YES:
        ours = answered is not _Says.NO
    else:
        ours = _is_answer(body) or (asked is _Says.NOTHING and answered is _Says.YES)
    return None if ours else _reason(request, body, asked, path)


def _asked(request: object) -> _Says:
    if request is None or request is MISSING:
        return _Says.NOTHING
    if kind_of(request) == "request":
        return _Says.YES
    return _Says.NO if isinstance(request, dict) and others.names(request) else _Says.NOTHING


def _answered(body: _Body) -> _Says:
    if body is None:
        return _Says.NOTHING
    if isinstance(body, Body):
        return _Says.MAYBE
    if isinstance(body, Stream):
        if is_stream(body.values):
            return _Says.YES
        if all(value is NotJson.DONE or value is NotJson.EMPTY for value in body.values):
            return _Says.MAYBE  # a stream without chunks
        return _Says.NO if _has_other_events(body) else _Says.NOTHING
    if kind_of(body.value) in ("completion", "chunk", "error"):
        return _Says.YES
    if isinstance(body.value, dict) and others.names(body.value) and body.kind != "error":
        return _Says.NO
    return _Says.MAYBE if body.kind == "error" else _Says.NOTHING


def _has_other_events(body: Stream) -> bool:
    return any(isinstance(value, dict) and others.names(value) for value in body.values)


def _is_answer(body: _Body) -> bool:
    """Whether a body is an answer that no other API gives: an error is not, for many do as OpenAI does."""
    if isinstance(body, Stream):
        return any(kind_of(value) in ("chunk", "completion") for value in body.values)
    return isinstance(body, Payload) and kind_of(body.value) in ("completion", "chunk")


def _is_strange(body: _Body) -> bool:
    """Whether an answer succeeds with JSON that is nothing of ours: the API of an application, which asks alike."""
    return isinstance(body, Payload) and body.kind != "error" and not _is_answer(body)


def _reason(request: object, body: _Body, asked: _Says, path: str | None) -> str:
    where = f", at {path}" if path is not None else ""
    answer = body.value if isinstance(body, Payload) else None
    if request is not None and asked is not _Says.YES:
        reason = why_not(request)
        if "Chat Completions:" in reason or not isinstance(answer, dict) or not others.names(answer):
            return reason + where
    if isinstance(body, Stream):
        return why_no_stream(body.values) + where
    if isinstance(body, Body):
        return f"not Chat Completions: a body that is no JSON{where}"
    if answer_kind(answer, None) == "error" or not isinstance(answer, dict):
        return f"{why_not(answer)}{where}"
    name = others.names(answer)
    return f"{'not Chat Completions: ' + name if name else 'the answer is not one of Chat Completions'}{where}"


def _method(method: str) -> str:
    return method.upper() if method.isascii() and method.isalpha() and len(method) < 10 else "another method"
