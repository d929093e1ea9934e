"""Write a request and its answer as a record without secrets. The places of findings are places in this record."""

from __future__ import annotations

import binascii
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import click
import orjson

from isogloss.cli.configuration.paths import display_path
from isogloss.cli.probe.answer_checks import Completion
from isogloss.cli.probe.cases import CASES, Case
from isogloss.cli.probe.target import Target
from isogloss.cli.probe.transport import HttpAnswer
from isogloss.cli.process import output
from isogloss.validator import captures
from isogloss.validator.captures.capture import read_fully
from isogloss.validator.captures.limits import LARGEST_DOCUMENT
from isogloss.validator.decode import looks_like_sse, response_body
from isogloss.validator.exchange import Body, Exchange, Stream
from isogloss.validator.secrets import mask
from isogloss.validator.streams import split_secrets
from isogloss.validator.text import Text

__all__ = [
    "SentRequest", "make_folder", "mark_inconclusive", "read_back", "record", "remove_earlier",
]  # fmt: skip

_MOST_ARRIVALS = 500
"""If an answer has more arrivals, it keeps only some of them, at even steps: at least this many, and fewer than twice
as many.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A request that was sent, and the facts that its answer is judged with.

    ``expected`` are the statuses that the answer may have. If there are none, every status is allowed. ``code`` is the
    error code that a refusal must have. ``alone`` is the status that the same request got when it was sent alone.
    ``before`` is the status with which the same request failed before. Both are ``None`` if they are not known.
    ``ids`` are the ids of earlier answers of the same server. ``excused`` are rules whose findings would be about the
    model only. ``earlier`` is the earlier answer to the same request, with which the new one is compared. It is not
    recorded.
    """

    body: bytes | None
    path: str
    method: str = "POST"
    expected: tuple[int, ...] = ()
    code: str | None = None
    case: str | None = None
    alone: int | None = None
    before: int | None = None
    ids: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    earlier: Completion | None = None


_BODIES = ("response", "sse", "response_text", "body_base64")


class Record(NamedTuple):
    """The record of an exchange, and the bodies in it as texts, without keys."""

    data: bytes
    request: str
    body: str


def record(target: Target, sent: SentRequest, answer: HttpAnswer) -> Record:
    """Return the record of an exchange, one property a line: JSON bodies as sent, others as text or Base64."""
    properties = dict(_properties(target, sent, answer))
    lines = [b'"%s": %s' % (name.encode(), value) for name, value in properties.items()]
    request = next(
        (_body_text(name, properties[name]) for name in ("request", "request_text") if name in properties), ""
    )
    body = next(_body_text(name, value) for name, value in properties.items() if name in _BODIES)
    return Record(b"{\n" + b",\n".join(lines) + b"\n}\n", request, body)


def _body_text(name: str, value: bytes) -> str:
    """Return the text of a body, which is a JSON document or a JSON string."""
    return value.decode() if name in ("request", "response") else str(orjson.loads(value))


def mark_inconclusive(data: bytes, reason: str) -> bytes:
    """Add to a record why its answer is inconclusive, and return it. All places in the record stay the same."""
    return data.removesuffix(b"\n}\n") + b',\n"inconclusive": ' + _json_string(reason.encode()) + b"\n}\n"


def read_back(data: bytes, name: str) -> Exchange:
    """Read the exchange of a record, like any capture with this name."""
    exchange = next(iter(captures.read(captures.Capture(io.BytesIO(data), name), "json")))
    assert isinstance(exchange, Exchange)  # a record names its endpoint, so it is not skipped
    return exchange


def make_folder(folder: Path, cases: Iterable[Case]) -> None:
    """Make a folder for records, and write to it for a try: no answer shall come that cannot be recorded.

    Raises :class:`output.Unwritable`, and ``click.UsageError`` if a record would replace another file.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"\n")
    except OSError as error:
        raise output.Unwritable(folder, error) from error
    for path in (folder / f"{case.name}.json" for case in cases):
        if path.is_file() and _recorded_case(path) is None:
            raise click.UsageError(f"{display_path(str(path))} is there already and no record: name another folder")


def remove_earlier(folder: Path, cases: Iterable[Case]) -> None:
    """Remove from a folder what earlier probes recorded of these cases, and no other files.

    The records of cases that isogloss does not have any more are removed, too. Raises :class:`output.Unwritable`.
    """
    kept = {case.name for case in CASES} - {case.name for case in cases}
    try:
        for path in sorted(folder.glob("*.json")):
            is_own_file = path.is_file() and not path.is_symlink()
            if is_own_file and (case := _recorded_case(path)) is not None and case not in kept:
                path.unlink()
    except OSError as error:
        raise output.Unwritable(folder, error) from error


def _recorded_case(path: Path) -> str | None:
    """Return the case that a file records, or ``None`` for another file. A record has the name of its case."""
    try:
        with path.open("rb") as file:
            found = orjson.loads(read_fully(file, LARGEST_DOCUMENT))
    except orjson.JSONDecodeError:
        return None
    case = found.get("case") if isinstance(found, dict) else None
    is_record = isinstance(case, str) and path.name.startswith(case)
    return case if is_record and found.keys() >= {"host", "path", "expected_status"} else None


def _properties(target: Target, sent: SentRequest, answer: HttpAnswer) -> Iterator[tuple[str, bytes]]:
    if sent.case is not None:
        yield "case", orjson.dumps(sent.case)
    yield "host", orjson.dumps(target.host)
    yield "path", orjson.dumps(sent.path)
    yield "live", b"true"
    if sent.method != "POST":
        yield "request_method", orjson.dumps(sent.method)
    if sent.body is not None:
        request = mask(target.mask(sent.body))
        yield ("request", request.strip()) if _is_json(request) else ("request_text", _json_string(request))
    optional = {
        "expected_status": sent.expected or None,
        "expected_code": sent.code,
        "status_alone": sent.alone,
        "status_before": sent.before,
        "excused_rules": sent.excused or None,
        "status": answer.status or None,
        "broken": answer.broken or None,
        "body_fault": answer.fault,
    }
    yield from ((name, orjson.dumps(value)) for name, value in optional.items() if value is not None)
    if sent.ids:
        ids = (_json_string(mask(target.mask(one.encode("utf-8", "replace")))) for one in sent.ids)
        yield "earlier_ids", b"[" + b", ".join(ids) + b"]"
    if answer.content_type is not None:
        yield "content_type", _json_string(mask(target.mask(answer.content_type.encode())))
    if answer.arrivals and answer.arrivals[-1][0] == len(answer.body):  # else the body was compressed
        yield "arrivals", orjson.dumps([[size, round(seconds, 4)] for size, seconds in _some_arrivals(answer.arrivals)])
        if not answer.alone:
            yield "beside_others", b"true"
    yield _body_property(answer, lambda data: mask(target.mask(data)))


def _some_arrivals(arrivals: Sequence[tuple[int, float]]) -> Iterator[tuple[int, float]]:
    """Yield the first and the last of the arrivals, and some of the others at even steps, if there are many."""
    step = max(1, len(arrivals) // _MOST_ARRIVALS)
    yield from arrivals[:-1:step]
    yield arrivals[-1]


def _body_property(answer: HttpAnswer, masking: Callable[[bytes], bytes]) -> tuple[str, bytes]:
    body = masking(answer.body)
    body = (split_secrets.mask_event_stream if looks_like_sse(body) else split_secrets.mask_document)(body, masking)
    try:
        body.decode()
    except UnicodeDecodeError:
        return "body_base64", _json_string(binascii.b2a_base64(body, newline=False))
    parsed = response_body(Text(body), status=answer.status, content_type=answer.content_type)
    if isinstance(parsed, Stream):
        return "sse", _json_string(body)
    if isinstance(parsed, Body) or not parsed.sound or not _is_json(body):
        return "response_text", _json_string(body)
    return "response", body.strip()


def _is_json(body: bytes) -> bool:
    """Return whether a body can be put into a JSON document unchanged.

    ``null`` cannot, since it means no body, and a string cannot, since it is the text of a body.
    """
    try:
        return not isinstance(orjson.loads(body), str | None)
    except orjson.JSONDecodeError:
        return False


def _json_string(text: bytes) -> bytes:
    return orjson.dumps(text.decode("utf-8", "replace"))
