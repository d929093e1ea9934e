"""Find the requests in a log of Chromium's network stack, each with its answer."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture, skip_unreadable, unpacked
from isogloss.validator.captures.document import Node, documents
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.traffic import NEITHER, why_other_path
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = ["exchanges_in_log"]

_BEGINS = "URL_REQUEST_START_JOB"
_HEADERS = "HTTP_TRANSACTION_READ_RESPONSE_HEADERS"
_READ = "URL_REQUEST_JOB_FILTERED_BYTES_READ"
_ENDS = "REQUEST_ALIVE"
_OF_ANSWER = (_HEADERS, _READ, "FAILED", _ENDS)
_STATUS = r"HTTP/\S+ (\d{3})\b"
_LOG_ENDS = Why("the log ends before the answer does")
_WITHOUT_BYTES = Why("a log without the bytes of answers, which --net-log-capture-mode=Everything keeps")


class _Request(Struct):
    """The events of one request so far."""

    start: Node
    headers: Node | None = None
    reads: list[Node] = field(default_factory=list)
    error: int | None = None
    is_over: bool = False


def exchanges_in_log(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each request, in the order in which they began."""
    for document in documents(capture):
        constants = document.root.get("constants")
        types, failures = _names(constants.get("logEventTypes")), _names(constants.get("netError"))
        for number, request in enumerate(_requests(document.root.get("events"), types)):
            yield _exchange(capture, number, request, failures)
        yield from document.damage(capture.name)


def _names(numbers: Node) -> dict[int | None, str]:
    """Return the names of numbers, by number."""
    names = numbers.value if isinstance(numbers.value, dict) else {}
    return {number: name for name, number in names.items() if isinstance(number, int)}


def _requests(events: Node, names: Mapping[int | None, str]) -> list[_Request]:
    """Return the requests of a log. One that was redirected is one with the last URL."""
    found: dict[int | None, _Request] = {}
    for event in events.items():
        name, params = names.get(event.get("type").integer()), event.get("params")
        source = event.get("source").get("id").integer()
        if name == _BEGINS and params.get("url").string() is not None:
            found[source] = _Request(params)
        if name not in _OF_ANSWER or (request := found.get(source)) is None:
            continue
        if name == _ENDS:
            request.is_over = True  # it begins before the request does
        elif name == _READ:
            request.reads.append(params)
        elif name == _HEADERS:
            request.headers = params.get("headers")
        else:
            request.error = params.get("net_error").integer()
    return list(found.values())


@skip_unreadable
def _exchange(
    capture: Capture, number: int, request: _Request, failures: Mapping[int | None, str]
) -> Exchange | Skipped:
    url, method = request.start.get("url").string(), request.start.get("method").string()
    if why := why_other_path(http.host_and_path(url)[1], method):
        return Skipped(file=capture.name, number=number, why=why)
    body = _body(request)
    if body is None or not request.is_over:
        why = NEITHER if request.headers is None else _LOG_ENDS if body is not None else _WITHOUT_BYTES
        return Skipped(file=capture.name, number=number, why=why)
    headers = [line for header in request.headers.items() if (line := header.string())] if request.headers else []
    status = re.match(_STATUS, headers[0]) if headers else None
    types = [line.partition(":")[2] for line in headers if line.lower().startswith("content-type:")]
    return http.exchange_of_part(
        capture,
        number,
        request.start,
        RecordedMessage(url=url, method=method),
        RecordedMessage(
            body=body,
            status=int(status[1]) if status else None,
            content_type=types[-1] if types else None,
            failure=failures.get(request.error),
        ),
    )


def _body(request: _Request) -> Text | None:
    """Return the bytes that were read of an answer, or ``None`` if the log does not hold them."""
    reads = [text for read in request.reads if (text := read.get("bytes").text()) is not None]
    if not reads:
        return None
    try:
        return unpacked(b"".join(base64.b64decode(text.data) for text in reads), reads[0])
    except binascii.Error as error:
        raise Unreadable(f"bytes that are not Base64: {error}") from error
