"""Check what a program holds: a payload, a capture, an HTTP response, or an object of a client library."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from isogloss import schemas
from isogloss.validator import captures, engines, rules
from isogloss.validator.captures import http
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.decode import decode, payload, response_body, stream_of_chunks
from isogloss.validator.dialects import model as dialects
from isogloss.validator.dialects.explainers import AutoExplainer, Explainer, FixedExplainer
from isogloss.validator.examining.expectations import Expectation, problem_of
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.exchange import LEFT_EARLY, Body, Exchange, HttpFacts, Kind, Response, Skipped, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.judge import Judge, Verdict, matcher
from isogloss.validator.kinds import KINDS, kind_of
from isogloss.validator.secrets import mask
from isogloss.validator.streams import fold as streams_fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.suggesting import unknown
from isogloss.validator.text import Text

__all__ = ["Received", "Result", "came_live", "check", "fold", "judge_by", "request_of", "verdicts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a check: how many exchanges were checked, the findings in order, and why parts were skipped.

    ``speaks`` holds the dialects of the exchanges, whether the user named them or isogloss found them, and the dialects
    that these relay. It holds ``undetermined`` if the dialect of an exchange was not found. With the dialect ``openai``
    it is empty.
    """

    exchanges: int
    findings: tuple[Finding, ...]
    skipped: tuple[str, ...] = ()
    speaks: tuple[str, ...] = ()
    _verdicts: tuple[Verdict, ...] = field(default=(), repr=False, compare=False)

    def failing(self, fail_on: str = "error") -> tuple[Finding, ...]:
        """Return the findings at or above ``error``, ``warning`` or ``note``.

        Raises ``ValueError`` for another severity.
        """
        if fail_on not in (labels := [severity.label for severity in Severity]):
            raise ValueError(unknown("severity", fail_on, labels))
        least = Severity[fail_on.upper()]
        return tuple(finding for finding in self.findings if finding.severity >= least)

    @property
    def conforms(self) -> bool:
        """Whether at least one exchange was checked, and no finding is an error."""
        return self.exchanges > 0 and not self.failing()

    def excerpt(self, finding: Finding) -> Excerpt | None:
        """Return an excerpt around the place of one of the findings, or ``None`` if there is nothing to show.

        Its ``text`` is one line without values. The place is marked: it goes from ``start`` to ``end`` in the text.
        """
        for verdict in self._verdicts:
            exchange_key = (verdict.file, verdict.examined.exchange.number)
            if exchange_key == (finding.source.file, finding.source.exchange) and (
                unplaced := verdict.unplaced_of(finding)
            ):
                return verdict.excerpt(unplaced)
        return None


def check(
    subject: Any,
    *,
    kind: Kind | None = None,
    request: Any = None,
    dialect: str = "openai",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    expect: Iterable[Expectation] = (),
    clients: Iterable[str] | None = None,
) -> Result:
    """Check a payload, a stream or a capture against the OpenAI reference.

    ``subject`` is a JSON value, the bytes or text of any capture that ``isogloss check`` reads, a model of the
    ``openai`` library, a list of chunks in any of these forms, or a response of ``httpx``, ``requests`` and similar
    libraries. The status and content type of a response count, too. ``kind`` sets the kind of a payload, whatever
    its content says. ``request`` is the payload that was answered, in any of these forms; the answer is checked
    against it. A response from a URL of Chat Completions needs none: it holds its request. ``dialect`` is a slug or
    ``auto``. ``select`` and ``ignore`` name rules or groups of rules. ``expect`` holds rules of your own, which are
    checked whatever ``select`` names. ``clients`` names clients: the ``impact`` of a finding says what these clients
    were seen to break on. If it is empty, these are all clients; by default, there are none. Lines and columns of
    findings count in the given bytes, or in the compact JSON text of a value.

    Raises ``ValueError`` for an unknown dialect, rule, client or kind, for an expectation that cannot be checked, and
    for a value that is nested too deep to be written as JSON. Raises ``TypeError`` for something that is no JSON value.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(unknown("kind of payload", kind, KINDS))
    judge = judge_by(dialect, select, ignore, expect, clients)
    exchanges, skipped = [], []
    for found in _exchanges(subject, kind, None if request is None else _text(request)):
        if isinstance(found, Skipped):
            skipped.append(found.reason)
        else:
            exchanges.append(judge.judge(found))
            if found.http.left:
                skipped.append(LEFT_EARLY.words)
    if not exchanges and (reason := _why_nothing(subject)) is not None:
        skipped = [reason]
    return Result(
        exchanges=len(exchanges),
        findings=tuple(finding for verdict in exchanges for finding in verdict.findings),
        skipped=tuple(skipped),
        speaks=tuple(sorted({slug for verdict in exchanges for slug in verdict.chain or _undetermined(verdict)})),
        _verdicts=tuple(verdict for verdict in exchanges if verdict.unplaced),
    )


def _why_nothing(subject: Any) -> str | None:
    """Return why there is nothing to check if a program probably meant something else, or ``None``."""
    if subject is None:
        return "None is no answer: did the call return one?"
    if isinstance(subject, str) and "\n" not in subject and os.path.exists(subject):
        return "this text is the name of a file: pass its content, Path(…).read_bytes()"
    return None


def _undetermined(verdict: Verdict) -> tuple[str, ...]:
    return () if verdict.speaks is None else (verdict.speaks,)


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """Return the verdicts with the findings of a result, for callers that show more than a finding holds."""
    return result._verdicts


def fold(subject: Any) -> Any:
    """Return the completion that a streamed answer folds into, as a JSON value, with keys masked.

    ``subject`` is the same as for :func:`check`, with a stream in it. Of several streams, the first that folds into a
    completion is used. Raises ``ValueError`` if there is none, or if it is nested too deep to be written as JSON.
    """
    for found in _exchanges(subject, None, None):
        if isinstance(found, Skipped) or not isinstance(found.response, Stream):
            continue
        completion = streams_fold.fold(Trace(found.response))
        if completion is not None:
            return json.loads(mask(_to_json(completion.value)))  # a key may have been sent in pieces
    raise ValueError("no stream that folds into a completion")


def _exchanges(subject: Any, kind: Kind | None, request: Text | None) -> Iterator[Exchange | Skipped]:
    received = _received(subject)
    host, path = http.host_and_path(None if received is None else received.url)
    if request is None and received is not None and received.request and is_chat_path(path):
        request = _text(received.request)
    if received is None and request is None:
        yield from captures.read(captures.Capture(io.BytesIO(_bytes(subject)), "<payload>", kind=kind))
        return
    text = Text(mask(_bytes(subject) if received is None else received.content))
    facts = HttpFacts() if received is None else received.facts
    body: Response | None = None
    if kind is not None:
        body = payload(text, kind)
    elif received is None:
        body = _chunks(text)
    elif facts.fault is not None and not facts.broken:
        body = Body(text)
    body = body or response_body(text, status=facts.status, content_type=facts.content_type)
    yield Exchange(
        file="<response>",
        number=0,
        text=text,
        request=None if request is None else payload(request, "request"),
        response=body,
        http=facts,
        host=host,
        path=path,
        live=received is not None and received.live,
    )


def _chunks(text: Text) -> Stream | None:
    """Return the stream that a JSON array of chunks represents, or ``None`` if the text is something else."""
    if not text.data.lstrip().startswith(b"["):
        return None
    decoded = decode(text.data)
    items = decoded.value
    if not isinstance(items, list) or not any(map(_is_of_stream, items)):
        return None
    return stream_of_chunks(items, text, sound=decoded.sound)


def _is_of_stream(value: object) -> bool:
    is_chunk = isinstance(value, dict) and value.get("object") == "chat.completion.chunk"
    return is_chunk or kind_of(value) in ("chunk", "error")


class Received(NamedTuple):
    """An answer that a client received, as far as it came: its body, facts about it, and the URL.

    ``live`` is that of :class:`Exchange`. ``request`` is the body of the request, or ``None`` if it is not known.
    """

    content: bytes
    facts: HttpFacts
    url: str | None
    live: bool = False
    request: bytes | None = None


def _received(subject: Any) -> Received | None:
    """Return the answer that an HTTP client's response holds, or ``None`` for any other subject.

    The client must have read the response.
    """
    if isinstance(subject, Received):
        return subject
    subject = getattr(subject, "http_response", subject)  # of an APIResponse of openai
    status, headers = getattr(subject, "status_code", None), getattr(subject, "headers", None)
    if isinstance(subject, Mapping) or type(status) is not int or headers is None:
        return None
    content: bytes = subject.content
    try:
        url = str(getattr(subject, "url", None) or "")
    except RuntimeError:  # httpx: a response without a request has no URL
        url = ""
    facts = HttpFacts(status, headers.get("content-type"))
    return Received(content, facts, url or None, came_live(subject), request_of(subject))


def came_live(response: Any) -> bool:
    """Return whether a response of ``httpx`` came over a connection, and not from a cassette or another double.

    ``httpcore`` (1.0, and 2.16 of ``httpx2``) gives its responses the stream of the network; vcrpy 9.4, respx 0.23 and
    transports for tests do not.
    """
    extensions = getattr(response, "extensions", None)
    return isinstance(extensions, Mapping) and "network_stream" in extensions


def request_of(response: Any) -> bytes | None:
    """Return the body of the request that a response of an HTTP client answers, or ``None`` if that was not kept.

    ``httpx`` has it as ``content``, and ``requests`` as ``body``.
    """
    try:
        request = getattr(response, "request", None)
        body = getattr(request, "content", None) or getattr(request, "body", None)
    except RuntimeError:  # httpx: a response without a request, or a request whose body was streamed
        return None
    return _bytes(body) if isinstance(body, bytes | str) else None


def _text(subject: Any) -> Text:
    return Text(mask(_bytes(subject)))


def _bytes(subject: Any) -> bytes:
    if isinstance(subject, bytes | bytearray | memoryview):
        return bytes(subject)
    if isinstance(subject, str):
        return subject.encode("utf-8", "surrogatepass")
    if isinstance(subject, os.PathLike):
        raise TypeError("a path is no JSON value: pass the content of the file, path.read_bytes()")
    return _to_json(subject)


def _to_json(subject: Any) -> bytes:
    """Write a subject as compact JSON. Raises ``ValueError`` if it is nested too deep for that."""
    try:
        return json.dumps(_value(subject), separators=(",", ":")).encode()
    except RecursionError:
        raise ValueError("nested too deep to be written as JSON") from None


def _value(subject: Any) -> Any:
    """Return the JSON value of a subject: for a model, what it was made from, without the defaults it fills in."""
    if hasattr(subject, "model_dump"):
        value = subject.model_dump(mode="json", exclude_unset=True, by_alias=True)
        return _without_parsed(value) if _PARSED in (one.__name__ for one in type(subject).__mro__) else value
    if isinstance(subject, Mapping):
        return dict(subject)
    if isinstance(subject, Iterable) and not isinstance(subject, str | bytes):
        return [_load(item) for item in subject]
    if hasattr(subject, "__aiter__"):
        raise TypeError("an asynchronous stream is no JSON value: pass its chunks, [chunk async for chunk in stream]")
    if hasattr(subject, "__await__"):
        raise TypeError("a coroutine is no JSON value: await it, and pass what it returns")
    return subject


_PARSED = "ParsedChatCompletion"
"""The class of the answers of ``parse`` and ``stream`` in openai (3.57.0). They hold more than the server sent."""


def _without_parsed(completion: Any) -> Any:
    """Remove what ``openai`` adds to a completion: parsed content and arguments, and null in place of calls.

    A completion that was put together from a stream has null for more. The rules know that from ``function_call``.
    """
    for choice in completion.get("choices") or ():
        message = choice.get("message") or {}
        message.pop("parsed", None)
        if message.get("tool_calls", ()) is None and "function_call" not in message:
            del message["tool_calls"]
        for call in message.get("tool_calls") or ():
            (call.get("function") or {}).pop("parsed_arguments", None)
    return completion


def _load(item: Any) -> Any:
    try:
        return json.loads(item) if isinstance(item, str | bytes) else _value(item)
    except json.JSONDecodeError as error:
        raise ValueError(f"an item of a list is text, but no JSON: {error}") from None


def judge_by(
    dialect: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    expect: Iterable[Expectation] = (),
    clients: Iterable[str] | None = None,
) -> Judge:
    """Return the judge for a dialect and rules: the same one for the same arguments, so it remembers what it saw.

    Raises ``ValueError`` for an unknown dialect, rule or client, and for an expectation that cannot be checked.
    """
    expected = () if isinstance(expect, Expectation) else tuple(expect)
    if isinstance(expect, Expectation) or not all(isinstance(one, Expectation) for one in expected):
        raise ValueError("expect has to be a list, and each of its items an Expectation")
    own = tuple(expectation.rule for expectation in expected)
    return _judge(dialect, _names(select, own), _names(ignore, own), expected, _clients(clients))


def _names(names: Iterable[str], own: tuple[str, ...]) -> frozenset[str]:
    groups = {group: rules.names(group) for group in rules.GROUPS} | ({rules.EXPECTED: own} if own else {})
    known = (*groups, *rules.names(), *own)
    found: set[str] = set()
    for name in [names] if isinstance(names, str) else names:
        if name not in known:
            raise ValueError(unknown("rule or group", name, known, see="isogloss rules"))
        if name == rules.COMPARED or name in groups[rules.COMPARED]:
            raise ValueError(f"{name!r}: only isogloss compare checks rules about twins")
        found.update(groups.get(name, (name,)))
    return frozenset(found)


@lru_cache(64)
def _judge(
    dialect: str,
    selected: frozenset[str],
    ignored: frozenset[str],
    expected: tuple[Expectation, ...],
    clients: tuple[str, ...] | None,
) -> Judge:
    for expectation in expected:
        if problem := problem_of(expectation):
            raise ValueError(f"the expectation {expectation.name!r}: {problem}")
    own = {expectation.rule for expectation in expected}
    active = ((selected or frozenset(rules.names())) | own) - ignored
    if not active:
        raise ValueError("no rule is left: all that are selected are ignored, too")
    return Judge(
        engines.load(), active=active, explainer=_explainer(dialect), expected=expected, matcher=matcher(clients)
    )


def _clients(names: Iterable[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    from isogloss.schemas.client_files import clients

    known = clients()
    wanted = sorted({names} if isinstance(names, str) else set(names))
    for name in wanted:
        if name not in known:
            raise ValueError(unknown("client", name, known, see="isogloss clients list"))
    return tuple(wanted)


def _explainer(dialect: str) -> Explainer | None:
    slug = schemas.slug_of(dialect)
    if slug == "openai":
        return None
    if dialect == "auto":
        return AutoExplainer(dialects.dialects())
    if slug is None:
        raise ValueError(unknown("dialect", dialect, ("auto", *schemas.dialect_names()), see="isogloss dialects list"))
    return FixedExplainer(dialects.dialect(slug))
