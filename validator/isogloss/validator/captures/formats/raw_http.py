"""Read HTTP messages as they are written on the wire, or as ``curl -i`` and ``curl -v`` print them.

Bodies may have chunk framing or not. A request and the response after it are one exchange. ``curl -v`` prints no
request bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.wire import WireMessage, start_line, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "http"

_CURL_BEGINS = (b"* ", b"> ", b"< ", b"{ [", b"} [")
_CURL = rb"(?m)^(?:[*><] |[{}] \[\d+ bytes data\])"
_CURL_NOISE = (
    rb"(?m)^(?:\* [^\n]*|[{}] \[\d+ bytes data\][^\n]*"
    rb"|  % Total[^\n]*| {10,}Dload[^\n]*|[\r ]*\d+ [^\n]*--:--[^\n]*)(?:\n|\Z)"
    rb"|\* (?:Connection #\d+ to host [^\n]* left intact|(?:Closing|shutting down) connection[^\n]*)\r?\n?\Z"
)
_CURL_HEADERS = rb"(?m)^[<>] ?"


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins with a start line, or like the output of ``curl -v``."""
    head = capture.head.lstrip(b"\xef\xbb\xbf\r\n")
    if head[:1].isupper() and start_line(head):
        return 95
    curl = head.startswith(_CURL_BEGINS) and re.match(_CURL, head) and re.search(_CURL_HEADERS, head)
    return 80 if curl and b"HTTP/" in head else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the messages, in order."""
    text = capture.text
    if not start_line(text.data.lstrip(b"\xef\xbb\xbf\r\n")):
        text = _without_curl(text)
    request: WireMessage | None = None
    number = 0
    for message in wire_messages(text):
        if message.status is None:
            if request is not None:
                yield wire_exchange(capture, number, text, request, None)
                number += 1
            request = message
        elif message.status >= 200 and not (message.status in (301, 302, 303, 307, 308) and not message.body.data):
            yield wire_exchange(capture, number, text, request, message)
            number += 1
            request = None
    if request is not None:
        yield wire_exchange(capture, number, text, request, None)


def _without_curl(text: Text) -> Text:
    """Return the output of ``curl -v`` without its remarks and without the marks before headers."""
    data = text.data
    parts: list[bytes] = []
    segments: list[tuple[int, int]] = []
    size = position = 0
    cuts = sorted(match.span() for pattern in (_CURL_NOISE, _CURL_HEADERS) for match in re.finditer(pattern, data))
    for start, end in [*cuts, (len(data), len(data))]:
        if start > position:
            segments.append((size, position))
            parts.append(data[position:start])
            size += start - position
        position = max(position, end)
    return Text.derived(mask(b"".join(parts)), text, segments or [(0, 0)])
