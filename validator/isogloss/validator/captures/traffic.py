"""Tell whether recorded traffic is a Chat Completions exchange, from its path, its request and its answer together.

If the path is that of Chat Completions or of another API, the path decides. Other services, too, have some paths of
another API: there an answer of Chat Completions decides. Any other path, of a gateway or of some other service, is no
evidence, so request and answer must be those of Chat Completions. If no path was recorded, one of
the two is enough, unless the other is evidence against it.
"""

from __future__ import annotations

from enum import Enum

from isogloss.validator.exchange import Body, Cause, NotJson, Payload, Response, Stream, Why
from isogloss.validator.jsontext import MISSING
from isogloss.validator.kinds import answer_kind, endpoints, is_stream, kind_of, others, why_no_payload, why_no_stream

__all__ = [
    "NEITHER", "NOTHING_COMPARED", "NOTHING_PRINTED", "ONLY_TEXT", "has_faulty_chunks", "is_chat_path",
    "may_answer_anyway", "why_no_answer", "why_other_path", "why_other_traffic",
]  # fmt: skip

NEITHER = Why("neither a request body nor a response body", Cause.NOTHING)
"""The reason for skipping a part that has neither."""
ONLY_TEXT = Why("the log keeps only the text of the answer")
"""The reason for skipping what has the words of an answer in place of its body."""
_ONLY_FOLDED = Why("the log keeps what it made of a stream, without the id and the model of the answer")
_IN_ALL_CHUNKS = frozenset({"id", "created", "model"})
NOTHING_PRINTED = Why("a notebook without JSON or events of Chat Completions in its outputs", Cause.NOTHING)
NOTHING_COMPARED = Why("a snapshot without JSON or events of Chat Completions", Cause.NOTHING)


class _Evidence(Enum):
    """Evidence in a request or a response that it is Chat Completions traffic, or that it is not."""

    YES = "a payload or stream of Chat Completions"
    MAYBE = "an error that many APIs send, a body that is not JSON, as gateways send, or a stream without data"
    NOTHING = "nothing"
    NO = "something else"


def is_chat_path(path: str | None) -> bool:
    """Return whether a URL path is that of Chat Completions."""
    return path is not None and path.rstrip("/").endswith("/chat/completions")


def has_faulty_chunks(body: Stream) -> bool:
    """Return whether an event is faulty, and the stream has the word ``choices``: it may be one of Chat Completions.

    A person may have written it by hand, or a server in haste.
    """
    return NotJson.FAULTY in body.values and b"choices" in body.text.data and not _has_other_events(body)


def why_no_answer(request: object, body: Response | None, status: int | None) -> Why | None:
    """Return the reason why the answer in a log cannot be validated, or ``None`` if it can.

    Some logs keep only the text of an answer, or a part of it, or what a program made of it. Kong makes a completion of
    a stream that has nothing of what all its chunks have (normalize-sse-chunk.lua of Kong/kong, read 2026-11).
    """
    if isinstance(body, Body):
        return ONLY_TEXT
    if isinstance(body, Payload) and (status is None or status < 400) and kind_of(body.value) is None:
        return why_no_payload(body.value)
    wants_stream = isinstance(request, dict) and request.get("stream") is True
    if wants_stream and isinstance(body, Payload) and body.kind == "completion" and isinstance(body.value, dict):
        return _ONLY_FOLDED if _IN_ALL_CHUNKS.isdisjoint(body.value) else None
    return None


def why_other_path(path: str | None, method: str | None) -> Why | None:
    """Return why traffic is no Chat Completions exchange by its method and path alone, or ``None`` if it may be one."""
    if method is not None and method.upper() != "POST":
        return Why(f"not Chat Completions: {_printable_method(method)} {path or ''}".rstrip(), Cause.OTHER)
    name = endpoints.other_api(path) if path is not None else None
    if name == endpoints.MODELS and method is not None:
        return None  # nobody posts to the Models API: other services have a model at such a path
    if name is not None:
        return Why(f"not Chat Completions: {path} ({name})", Cause.OTHER)
    return None


def may_answer_anyway(path: str | None, method: str | None) -> bool:
    """Return whether a request to the path of another API may have got an answer of Chat Completions anyway."""
    return path is not None and why_other_path(None, method) is None and endpoints.is_shared(path)


def why_other_traffic(
    request: object,
    body: Response | None,
    path: str | None,
    method: str | None,
    *,
    shows_http: bool,
) -> Why | None:
    """Return why traffic is no Chat Completions exchange, or ``None`` if it is one.

    ``shows_http`` says that the capture has marks of HTTP: a status, a content type or a host. Then a failure without a
    request may have any shape, since nothing says that it is other traffic.
    """
    if (why := why_other_path(path, method)) and not (_is_answer(body) and may_answer_anyway(path, method)):
        return why
    if request is None and body is None:
        return NEITHER
    if is_chat_path(path):
        return None
    request_evidence, answer_evidence = _request_evidence(request), _answer_evidence(body)
    if path is not None:
        is_chat = _is_answer(body) or (
            request_evidence is _Evidence.YES and answer_evidence is not _Evidence.NO and not _is_other_answer(body)
        )
    elif request is None:
        is_chat = answer_evidence is _Evidence.YES or (answer_evidence is _Evidence.MAYBE and shows_http)
    elif request_evidence is _Evidence.YES:
        is_chat = answer_evidence is not _Evidence.NO
    else:
        is_chat = _is_answer(body) or (request_evidence is _Evidence.NOTHING and answer_evidence is _Evidence.YES)
    return None if is_chat else _at(path, _why(request, body, request_evidence))


def _request_evidence(request: object) -> _Evidence:
    if request is None or request is MISSING:
        return _Evidence.NOTHING
    if kind_of(request) == "request":
        return _Evidence.YES
    return _Evidence.NO if isinstance(request, dict) and others.other_kind(request) else _Evidence.NOTHING


def _answer_evidence(body: Response | None) -> _Evidence:
    """Return what an answer shows: that the traffic is Chat Completions, that it may be, that it is not, or nothing."""
    if body is None:
        return _Evidence.NOTHING
    if isinstance(body, Body):
        return _Evidence.MAYBE
    if isinstance(body, Stream):
        if is_stream(body.values) or has_faulty_chunks(body):
            return _Evidence.YES
        if all(value is NotJson.DONE or value is NotJson.EMPTY for value in body.values):
            return _Evidence.MAYBE  # a stream without chunks
        return _Evidence.NO if _has_other_events(body) else _Evidence.NOTHING
    if kind_of(body.value) in ("completion", "chunk", "error"):
        return _Evidence.YES
    if isinstance(body.value, dict) and others.other_kind(body.value) and body.kind != "error":
        return _Evidence.NO
    return _Evidence.MAYBE if body.kind == "error" else _Evidence.NOTHING


def _has_other_events(body: Stream) -> bool:
    return any(isinstance(value, dict) and others.other_kind(value) for value in body.values)


def _is_answer(body: Response | None) -> bool:
    """Return whether a body is an answer that no other API gives. An error is not: many APIs send such errors."""
    if isinstance(body, Stream):
        return any(kind_of(value) in ("chunk", "completion") for value in body.values)
    return isinstance(body, Payload) and kind_of(body.value) in ("completion", "chunk")


def _is_other_answer(body: Response | None) -> bool:
    """Return whether an answer succeeds with other JSON, as from the API of an application with similar requests."""
    return isinstance(body, Payload) and body.kind != "error" and not _is_answer(body)


def _why(request: object, body: Response | None, request_evidence: _Evidence) -> Why:
    answer = body.value if isinstance(body, Payload) else None
    other_answer = others.other_kind(answer) if isinstance(answer, dict) else None
    if request_evidence is _Evidence.NO or (
        request is not None and request_evidence is not _Evidence.YES and other_answer is None
    ):
        return why_no_payload(request)
    if isinstance(body, Stream):
        return why_no_stream(body)
    if isinstance(body, Body):
        return _NO_JSON
    if answer_kind(answer, None) == "error" or not isinstance(answer, dict):
        return why_no_payload(answer)
    return _OTHER_ANSWER if other_answer is None else Why(f"not Chat Completions: {other_answer}", Cause.OTHER)


_NO_JSON = Why("not Chat Completions: a body that is not JSON", Cause.OTHER)
_OTHER_ANSWER = Why("the answer is not one of Chat Completions", Cause.OTHER)


def _at(path: str | None, why: Why) -> Why:
    """Add the path to the reason. Then more is known than that there is nothing of Chat Completions."""
    if path is None:
        return why
    return Why(f"{why.words}, at {path}", Cause.OTHER if why.cause is Cause.NOTHING else why.cause)


def _printable_method(method: str) -> str:
    return method.upper() if method.isascii() and method.isalpha() and len(method) < 10 else "another method"
