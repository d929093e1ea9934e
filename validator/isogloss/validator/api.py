"""Check what a program holds: a payload, a capture, an HTTP response, or an object of a client library."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from isogloss.validator import captures
from isogloss.validator.captures import http
from isogloss.validator.captures.traffic import is_chat_path
from isogloss.validator.decode import decode, payload, response_body, stream_of_chunks
from isogloss.validator.examining.expectations import Expectation
from isogloss.validator.excerpts import Excerpt
from isogloss.validator.exchange import LEFT_EARLY, NO_HTTP, Body, Exchange, Kind, Response, Skipped, Stream
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judging.choosing import judge_by
from isogloss.validator.judging.judge import Verdict
from isogloss.validator.kinds import KINDS, kind_of
from isogloss.validator.program_values import bytes_of, received, text_of, to_json
from isogloss.validator.secrets import mask
from isogloss.validator.streams import fold as streams_fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.suggesting import unknown
from isogloss.validator.text import Text

__all__ = ["Result", "check", "fold", "verdicts"]


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
            is_of_verdict = exchange_key == (finding.source.file, finding.source.exchange)
            if is_of_verdict and (excerpt := verdict.excerpt(finding)):
                return excerpt
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
    for found in _exchanges(subject, kind, None if request is None else text_of(request)):
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
            return json.loads(mask(to_json(completion.value)))  # a key may have been sent in pieces
    raise ValueError("no stream that folds into a completion")


def _exchanges(subject: Any, kind: Kind | None, request: Text | None) -> Iterator[Exchange | Skipped]:
    answer = received(subject)
    host, path = http.host_and_path(None if answer is None else answer.url)
    if request is None and answer is not None and answer.request and is_chat_path(path):
        request = text_of(answer.request)
    if answer is None and request is None:
        yield from captures.read(captures.Capture(io.BytesIO(bytes_of(subject)), "<payload>", kind=kind))
        return
    text = text_of(subject if answer is None else answer.content)
    facts = NO_HTTP if answer is None else answer.facts
    body: Response | None = None
    if kind is not None:
        body = payload(text, kind)
    elif answer is None:
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
        live=answer is not None and answer.live,
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
