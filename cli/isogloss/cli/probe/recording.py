"""Write a request with its answer as a record, without secrets; findings have their places in this document."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import Answer
from isogloss.validator.decode import looks_like_sse, response_body
from isogloss.validator.exchange import Body, Stream
from isogloss.validator.secrets import mask
from isogloss.validator.streams import split_secrets
from isogloss.validator.text import Text

__all__ = ["Asked", "forget", "record"]

_MOST_ARRIVALS = 500
"""How many arrivals are kept of an answer, and fewer than twice as many; of more, evenly some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was sent, and which statuses an answer may have; none for whichever.

    ``alone`` is the status that the same request got when nothing else was sent beside it, if that is known.
    """

    body: bytes
    path: str
    expected: tuple[int, ...] = ()
    case: str | None = None
    alone: int | None = None


def record(target: Target, asked: Asked, answer: Answer) -> bytes:
    """Return the record of an exchange, one property a line: JSON bodies as sent, others as text or Base64."""
    members = [b'"%s": %s' % (name.encode(), value) for name, value in _members(target, asked, answer)]
    return b"{\n" + b",\n".join(members) + b"\n}\n"


def forget(folder: Path) -> None:
    """Remove the records of earlier probes from a folder, and nothing else. Raises ``OSError``."""
    for path in sorted(folder.glob("*.json")):
        if path.is_file() and not path.is_symlink() and _recorded(path):
            path.unlink()


def _recorded(path: Path) -> bool:
    """Whether a file is the record of a case, and named as a probe names it."""
    try:
        found = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError:
        return False
    case = found.get("case") if isinstance(found, dict) else None
    return isinstance(case, str) and path.name.startswith(case) and found.keys() >= {"host", "path", "status"}


def _members(target: Target, asked: Asked, answer: Answer) -> Iterator[tuple[str, bytes]]:
    if asked.case is not None:
        yield "case", orjson.dumps(asked.case)
    yield "host", orjson.dumps(target.host)
    yield "path", orjson.dumps(asked.path)
    request = mask(target.masked(asked.body))
    yield ("request", request.strip()) if _json(request) else ("request_text", _string(request))
    if asked.expected:
        yield "expected_status", orjson.dumps(asked.expected)
    if asked.alone is not None:
        yield "status_alone", orjson.dumps(asked.alone)
    yield "status", orjson.dumps(answer.status)
    if answer.broken:
        yield "broken", b"true"
    if answer.content_type is not None:
        yield "content_type", _string(mask(target.masked(answer.content_type.encode())))
    if answer.arrivals and answer.arrivals[-1][0] == len(answer.body):  # else the body was compressed
        yield "arrivals", orjson.dumps([[size, round(seconds, 4)] for size, seconds in _thinned(answer.arrivals)])
        if not answer.alone:
            yield "beside_others", b"true"
    yield _body(answer, lambda data: mask(target.masked(data)))


def _thinned(arrivals: Sequence[tuple[int, float]]) -> Iterator[tuple[int, float]]:
    """The first and the last of the arrivals, and of the others evenly as many as are kept."""
    step = max(1, len(arrivals) // _MOST_ARRIVALS)
    yield from arrivals[:-1:step]
    yield arrivals[-1]


def _body(answer: Answer, masking: Callable[[bytes], bytes]) -> tuple[str, bytes]:
    body = masking(answer.body)
    body = (split_secrets.in_text if looks_like_sse(body) else split_secrets.in_document)(body, masking)
    try:
        body.decode()
    except UnicodeDecodeError:
        return "body_base64", _string(binascii.b2a_base64(body, newline=False))
    what = response_body(Text(body), status=answer.status, content_type=answer.content_type)
    if isinstance(what, Stream):
        return "sse", _string(body)
    if isinstance(what, Body) or not what.sound or not _json(body):
        return "response_text", _string(body)
    return "response", body.strip()


def _json(body: bytes) -> bool:
    """Return whether a body can be put into a JSON document unchanged; ``null`` cannot, since it means no body."""
    try:
        return orjson.loads(body) is not None
    except orjson.JSONDecodeError:
        return False


def _string(text: bytes) -> bytes:
    return orjson.dumps(text.decode("utf-8", "replace"))
