"""Find what isogloss reports in an answer that is to be replayed, and convert between replies and exchanges."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from msgspec.structs import replace
from replay_server import Reply, split_events

from isogloss.validator import engines
from isogloss.validator.decode import response_body
from isogloss.validator.exchange import Exchange, HttpFacts, Payload, Response, Stream
from isogloss.validator.impact.extent import Extents
from isogloss.validator.judging.judge import Judge
from isogloss.validator.pointer import ABSENT, Pointer, generic, read
from isogloss.validator.streams.fold import fold
from isogloss.validator.streams.trace import Trace
from isogloss.validator.text import Text

__all__ = [
    "ReplyFinding",
    "exchange_of",
    "extent_of_finding",
    "findings_in",
    "findings_of",
    "fold_reply",
    "has_calls",
    "is_stream",
    "make_document",
    "make_reply",
    "reply_of",
    "values_of",
]


class ReplyFinding(NamedTuple):
    """A finding in a reply. ``event`` is the number of its first event, and ``value`` the value at its pointer there.

    ``events`` are the numbers of all events in which the rule finds something at this path.
    """

    rule: str
    severity: str
    message: str
    kind: str
    path: str
    pointer: Pointer
    event: int | None
    value: Any
    events: frozenset[int | None]

    @property
    def key(self) -> tuple[str, str]:
        """The rule and the path, which identify the finding."""
        return self.rule, self.path


@cache
def _judge() -> Judge:
    return Judge(engines.load())


def exchange_of(reply: Reply, original: Exchange | None = None) -> Exchange:
    """Return an exchange with a reply as its response, and with the request of ``original`` if that is given."""
    text = Text(b"".join(reply.pieces))
    body = response_body(text, status=reply.status, content_type=reply.content_type)
    http = HttpFacts(reply.status, reply.content_type, reply.broken)
    if original is None:
        return Exchange(file="<reply>", number=0, text=text, response=body, http=http)
    return replace(original, text=text, at=(), response=body, http=http)


def reply_of(exchange: Exchange) -> Reply:
    """Return the response of an exchange as a reply: the bytes of its body, its status and its content type."""
    body, http = exchange.response, exchange.http
    assert body is not None
    data, is_stream = body.text.data, isinstance(body, Stream)
    if isinstance(body, Stream) and body.framing is None:
        return make_reply(body.values, 200)
    if isinstance(body, Payload) and body.at:  # a property of a record, and no body by itself
        return make_document(body.value, http.status or (400 if body.kind == "error" else 200))
    status = http.status or (400 if isinstance(body, Payload) and body.kind == "error" else 200)
    content_type = http.content_type or ("text/event-stream" if is_stream else "application/json")
    pieces = split_events(data) if is_stream or "event-stream" in content_type else [data]
    return Reply(pieces=pieces, status=status, content_type=content_type, broken=http.broken)


def make_reply(value: Any, status: int = 200) -> Reply:
    """Return the reply in which OpenAI would send a document or, if ``value`` is a list of chunks, a stream."""
    if not isinstance(value, list):
        return make_document(value, status)
    chunks = [item for item in value if isinstance(item, dict)]
    events = [
        b"data: " + json.dumps(chunk, separators=(",", ":"), ensure_ascii=False).encode() + b"\n\n" for chunk in chunks
    ]
    return Reply(pieces=[*events, b"data: [DONE]\n\n"], status=status, content_type="text/event-stream")


def make_document(value: Any, status: int = 200) -> Reply:
    """Return the reply with a document as its body. It may be an array: some servers send errors so."""
    return Reply(pieces=[json.dumps(value, separators=(",", ":")).encode()], status=status)


def is_stream(reply: Reply) -> bool:
    """Return whether isogloss reads a reply as a stream."""
    return isinstance(exchange_of(reply).response, Stream)


def values_of(reply: Reply) -> Any:
    """Return the document of a reply, or the list of the values of its events; ``None`` if it is neither."""
    return _values_of_body(exchange_of(reply).response)


def fold_reply(reply: Reply) -> Any:
    """Return the completion that ``isogloss fold`` makes of a stream, or the document of a reply, or ``None``."""
    return _fold_body(exchange_of(reply).response)


def findings_of(reply: Reply, original: Exchange | None = None) -> list[ReplyFinding]:
    """Return the findings of isogloss in a reply, checked against the reference, in the order of a report."""
    return findings_in(exchange_of(reply, original))


def has_calls(exchange: Exchange) -> bool:
    """Return whether isogloss sees a call of a tool or a function in an answer."""
    return "calls" in _judge().judge(exchange).examined.contents.features


def findings_in(exchange: Exchange) -> list[ReplyFinding]:
    """Return the findings of isogloss in an exchange, checked against the reference, in the order of a report."""
    verdict = _judge().judge(exchange)
    findings = []
    for finding in verdict.findings:
        unplaced = verdict.unplaced_of(finding)
        assert unplaced is not None
        pointer, event = tuple(unplaced.hit.pointer), finding.source.event
        value = _value_at(exchange.response, finding.kind, pointer, event)
        hits = [
            one for one in verdict.examined.hits if (one.rule, generic(one.hit.pointer)) == (finding.rule, finding.path)
        ]
        events = frozenset(number for one in hits for number in one.events or (one.hit.event,))
        findings.append(
            ReplyFinding(
                finding.rule,
                finding.severity.label,
                finding.message,
                finding.kind,
                finding.path,
                pointer,
                event,
                value,
                events,
            )
        )
    return findings


def _values_of_body(body: Response | None) -> Any:
    if isinstance(body, Stream):
        return body.values
    return body.value if isinstance(body, Payload) else None


def _fold_body(body: Response | None) -> Any:
    if isinstance(body, Stream):
        completion = fold(Trace(body))
        return None if completion is None else completion.value
    return body.value if isinstance(body, Payload) else None


def _value_at(body: Response | None, kind: str, pointer: Pointer, event: int | None) -> Any:
    if not pointer:
        return ABSENT
    value = _values_of_body(body)
    if isinstance(value, list) and kind == "completion":
        return read(_fold_body(body), pointer)
    if isinstance(value, list):
        return read(value[event], pointer) if event is not None and event < len(value) else ABSENT
    return read(value, pointer)


def extent_of_finding(reply: Reply, finding: ReplyFinding) -> str | None:
    """Return on which events of a stream a finding is; ``None`` if it is on none."""
    values, events = values_of(reply), {number for number in finding.events if number is not None}
    return (
        Extents(values).of(finding.pointer, events) if isinstance(values, list) and finding.pointer and events else None
    )
