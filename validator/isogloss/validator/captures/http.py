"""Make an :class:`Exchange` from the parts of a recorded HTTP exchange. All formats that record HTTP use this module.

Headers are read here and then dropped: an exchange keeps only the content type. Of the URL it keeps the host and the
path. User names, passwords and queries, which may contain keys, are dropped, too.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator import jsontext
from isogloss.validator.captures.capture import Capture, unpacked
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.limits import Budget
from isogloss.validator.captures.traffic import NEITHER, is_chat_path, why_other_traffic
from isogloss.validator.captures.wrapping.compression import decompress_body
from isogloss.validator.decode import decode, response_body, stream_of_chunks
from isogloss.validator.exchange import NO_HTTP, Body, Exchange, HttpFacts, Payload, Response, Skipped, Stream, Why
from isogloss.validator.http_faults import REDIRECTS, fault_in
from isogloss.validator.kinds import answer_kind, chunks_in
from isogloss.validator.pointer import Pointer
from isogloss.validator.secrets import mask_text
from isogloss.validator.text import Text

__all__ = [
    "Answer", "RecordedMessage", "answer_body", "decoded_body", "exchange", "exchange_of_part", "has_last_event",
    "header", "host_and_path", "is_status", "request_body", "why_cut_off",
]  # fmt: skip

Answer: TypeAlias = Node | Text | Stream | None
"""A response body: as a parsed value, as text without content encodings, or as the chunks that were kept."""


class RecordedMessage(Struct, frozen=True):
    """One half of a recorded exchange, a request or a response: its body, and the other parts that were recorded.

    The body is text without content encodings, or a part of a document if the recorder parsed it. ``started`` is the
    date and time at which a request was sent, as in ISO 8601. ``failure`` is what the recorder says of a response whose
    body did not come to its end: the connection broke, or the client left. ``fault`` is that of :class:`HttpFacts`: the
    body, as it was sent, cannot be decoded.
    """

    body: Answer = None
    status: int | None = None
    content_type: str | None = None
    url: str | None = None
    method: str | None = None
    started: str | None = None
    failure: str | None = None
    fault: str | None = None


_BY_CLIENT = "(?i)client|killed|abort|cancel"
"""Part of what recorders say if the client or the user ended an exchange: mitmproxy 12.3.1 ("Client disconnected.",
"stream reset by client (CANCEL)", "Connection killed."), Chromium ("net::ERR_ABORTED"), Firefox ("NS_BINDING_ABORTED").
"""
_URL_MARK = re.compile("[/.:]")
_HEADER_LINE = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:(?: |$)"
_PLACEHOLDER = rb"""(?xi)
    [\s\[<({*_-]*+ (?: (?:(?:request|response|body|content|data)[ _-])*
        (?:redacted|filtered|omitted|masked|removed|scrubbed|sanitized|hidden) | \.{3} | \xe2\x80\xa6 )[\s\])>}*_-]*
    | \s* (?: \*{3,} | [(<\[]binary[)>\]] ) \s*
"""
"""What recorders write in place of a body: ``[FILTERED]``, ``<redacted>``, ``{...}``, ``***``, ``(binary)``."""
_LONGEST_PLACEHOLDER = 100
_CUT_OFF = rb"(?:\.{3}|\xe2\x80\xa6|(?i:truncated))[\s\])>]*\Z"
"""How a body ends that a recorder has cut off."""
_CUT = Why("a body that the recorder has cut off")
_NOTHING_KEPT = Why("the client closed the connection, and nothing of the answer was kept")
_NO_BODIES = Why("bodies that the recorder has left out")
_LONG_URL = 1024
_MEDIA_TYPE = r"[\w.+-]+/[\w.+-]+(?: *; *[\w-]+ *= *\"?[\w.+-]+\"?)*"


def header(headers: Node, name: str) -> str | None:
    """Return the value of a header, or ``None`` if it is missing or empty; ``name`` is in lower case.

    Recorders keep headers by name, or as a list. The list holds names and values, one after the other (Node.js), in
    pairs, as objects, or as lines. In XML, the objects are elements ``header``. Several values of one name are joined
    by commas, as RFC 9110 defines.
    """
    found: list[object] = []
    for key, value in _headers(headers.value):
        if isinstance(key, str) and key.lower() == name:
            found += value if isinstance(value, list) else [value]
    return ", ".join(value for value in found if isinstance(value, str)) or None


def _headers(headers: object) -> Iterator[tuple[object, object]]:
    """Yield the name and the value of each recorded header; a value may also be a list of values."""
    if isinstance(headers, dict):
        yield from headers.items()
        elements = headers.get("header")
        yield from _headers([elements] if isinstance(elements, dict) else elements)
    elif isinstance(headers, list) and headers and all(isinstance(one, str) for one in headers):
        if all(re.match(_HEADER_LINE, one) for one in headers):
            for one in headers:
                key, _, value = one.partition(":")
                yield key, value.strip()
        else:
            yield from zip(headers[::2], headers[1::2], strict=False)
    elif isinstance(headers, list):
        for item in headers:
            if isinstance(item, list) and len(item) == 2:
                yield item[0], item[1]
            elif isinstance(item, dict):
                values = (item[one] for one in ("value", "values") if item.get(one) is not None)
                yield item.get("name") or item.get("key"), next(values, None)


def is_status(value: object) -> bool:
    """Return whether a value is a number that may be the status of a response."""
    return type(value) is int and 100 <= value < 600


def host_and_path(url: str | None) -> tuple[str | None, str | None]:
    """Return the host and the path of a URL or of a request target; each is ``None`` if it is not known.

    Text that has no scheme and does not begin with a slash begins with a host if its first part looks like one, and
    otherwise with the path. A single word tells nothing: recorders write one in the place of what they leave out.
    """
    if not url:
        return None, None
    return _split(url) if len(url) < _LONG_URL else _split.__wrapped__(url)


@lru_cache(1024)
def _split(url: str) -> tuple[str | None, str | None]:
    if url != "localhost" and not _URL_MARK.search(url):
        return None, None
    if "://" not in url and not url.startswith("/"):
        first = url.partition("/")[0]
        url = f"//{url}" if "." in first or ":" in first or first == "localhost" else f"/{url}"
    try:
        parts = urlsplit(url)
        path = unquote(parts.path)
        return parts.hostname, (parts.path if path == mask_text(path) else mask_text(path)) or None
    except ValueError:  # urllib raises this for text that is not a URL
        return None, None


def decoded_body(text: Text, encoding: str | None, budget: Budget, *, whole: bool = False) -> Text:
    """Return a body without its content encodings. Raises :class:`Unreadable`.

    The end of the body may be missing, unless it has to be ``whole``. If the body was encoded, all of the result has
    its place where the encoded body begins.
    """
    data = text.data
    if data.startswith((b"\x1f\xc2\x8b", b"(\xc2\xb5/\xc3\xbd")):  # each byte was recorded as a character
        try:
            data = data.decode().encode("latin-1")
        except UnicodeError:
            return text
    decoded = decompress_body(data, encoding, budget, whole=whole)
    return text if decoded is text.data else unpacked(decoded, text)


def exchange(
    *,
    file: str,
    number: int,
    text: Text,
    at: Pointer = (),
    request: RecordedMessage,
    response: RecordedMessage,
    on_wire: bool = False,
    live: bool = False,
) -> Exchange | Skipped:
    """Return the exchange of a recorded request and its response, or a :class:`Skipped` if it is other traffic.

    The same files may hold other traffic, too. ``on_wire`` says that the messages are recorded as they were sent.
    Otherwise a status alone does not show that a failure is recorded traffic: tests of any API have one. ``live`` is
    the field of :class:`Exchange` with that name.
    """
    asked, answered = (request, response) if live else (_without_placeholder(request), _without_placeholder(response))
    host, path = host_and_path(request.url)
    content_type = _media_type(response.content_type)
    payload, body = _request(asked.body, path), answer_body(answered.body, response.status, content_type)
    if response.fault is not None and body is not None:
        body = Body(body.text)
    shows_http = content_type is not None or host is not None or (on_wire and response.status is not None)
    why = why_other_traffic(payload.value if payload else None, body, path, request.method, shows_http=shows_http)
    if why == NEITHER and (asked is not request or answered is not response):
        why = _NO_BODIES
    if why := why or _why_no_answer(answered, body, live=live):
        return Skipped(file=file, number=number, why=why)
    return Exchange(
        file=file,
        number=number,
        text=text,
        at=at,
        request=payload,
        response=body,
        http=NO_HTTP if body is None else _facts(answered, content_type),
        host=host,
        path=path,
        live=live,
        recorded=_moment(request.started),
    )


def exchange_of_part(
    capture: Capture, number: int, part: Node, request: RecordedMessage, response: RecordedMessage
) -> Exchange | Skipped:
    """Return the exchange of a request and its response that are recorded in a part of a document."""
    text, at = part.document.text, part.at
    return exchange(file=capture.name, number=number, text=text, at=at, request=request, response=response)


def _without_placeholder(message: RecordedMessage) -> RecordedMessage:
    is_placeholder = isinstance(message.body, Text) and _is_placeholder(message.body)
    return replace(message, body=None) if is_placeholder else message


def _media_type(content_type: str | None) -> str | None:
    return match[0] if content_type and (match := re.match(_MEDIA_TYPE, content_type.strip())) else None


def _request(body: Answer, path: str | None) -> Payload | None:
    if isinstance(body, Text):
        return request_body(body, path)
    return body.payload("request") if isinstance(body, Node) else None


def _why_no_answer(response: RecordedMessage, body: Response | None, *, live: bool) -> Why | None:
    """Return why a response is no answer: nothing came, it is no final one, or the recorder has left out a part."""
    status, text = response.status, response.body if isinstance(response.body, Text) else None
    if text is not None and _has_left(response.failure) and not text.data.strip():
        return _NOTHING_KEPT
    if status is not None and 100 <= status < 200:
        return Why(f"status {status} is only the beginning: the answer follows it")
    if status is not None and 300 <= status < 400 and (body is None or isinstance(body, Body)):
        words = "redirected with status {}: another URL answers" if status in REDIRECTS else "status {}: no answer"
        return Why(words.format(status))
    return None if live or text is None else why_cut_off(body)


def _facts(response: RecordedMessage, content_type: str | None) -> HttpFacts:
    """Return the facts about a response. After the last event of a stream, a client may close the connection."""
    failure, body = response.failure, response.body
    if failure is None or (_has_left(failure) and isinstance(body, Text) and has_last_event(body.data)):
        return HttpFacts(response.status, content_type, fault=response.fault)
    if _has_left(failure):
        return HttpFacts(response.status, content_type, left=True, fault=response.fault)
    return HttpFacts(response.status, content_type, broken=True, fault=fault_in(failure))


def _has_left(failure: str | None) -> bool:
    """Return whether the client ended an exchange, by what the recorder says of its end."""
    return failure is not None and re.search(_BY_CLIENT, failure) is not None


def has_last_event(body: bytes) -> bool:
    """Return whether a body ends with the last event of a stream. After that, a client may close the connection."""
    return body.rstrip().endswith(b"[DONE]")


def _is_placeholder(text: Text) -> bool:
    """Return whether a recorder wrote something in place of a body, for example because it is confidential."""
    return len(text.data) < _LONGEST_PLACEHOLDER and re.fullmatch(_PLACEHOLDER, text.data) is not None


def why_cut_off(body: Response | None) -> Why | None:
    """Return why an answer that was recorded as text is skipped, if the recorder has left out a part, else ``None``."""
    return _CUT if isinstance(body, Payload) and not body.sound and _is_cut_off(body.text) else None


def _is_cut_off(text: Text) -> bool:
    """Return whether a text that is no JSON says that it is not whole: at its end, or with dots in place of a part."""
    return re.search(_CUT_OFF, text.data[-_LONGEST_PLACEHOLDER:]) is not None or jsontext.scan(text.data).elided


def _moment(started: str | None) -> float | None:
    """Return a date and time in seconds since 1970, or ``None`` if it has no time zone or is no date and time."""
    try:
        moment = datetime.datetime.fromisoformat(started or "")
        return None if moment.tzinfo is None else moment.timestamp()
    except (ValueError, OverflowError):
        return None


def request_body(text: Text, path: str | None) -> Payload | None:
    """Return the request that a text is, or ``None`` if it is blank or cut off, or no JSON and without this path."""
    if not text.data.strip():
        return None
    value, sound = decode(text.data)
    if (value is jsontext.MISSING and not is_chat_path(path)) or (not sound and _is_cut_off(text)):
        return None
    return Payload(kind="request", value=value, text=text, sound=sound)


def answer_body(response: Answer, status: int | None, content_type: str | None) -> Response | None:
    """Return the body that an answer is, or ``None`` if there is none."""
    if response is None or isinstance(response, Stream):
        return response
    if isinstance(response, Text):
        return response_body(response, status=status, content_type=content_type)
    return None if response.value is None else _parsed_body(response, status)


def _parsed_body(body: Node, status: int | None) -> Payload | Stream:
    """Return the response body that a recorder kept parsed; an array of chunks is a stream.

    The kind of a payload follows from its content, or from the status if the content does not show it.
    """
    if chunks := chunks_in(body.value):
        return stream_of_chunks(chunks, body.document.text, body.at, sound=body.document.sound)
    return body.payload(answer_kind(body.value, status))
