"""HTTP messages as they are written: what ``curl -i`` and ``curl -v`` print, and what was on the wire, chunked or not.

A request that is followed by a response is one exchange with it. ``curl -v`` prints no request bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.wire import START, WireMessage, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "http"

_CURL = re.compile(rb"^(?:[*><] |[{}] \[\d+ bytes data\])", re.MULTILINE)
_CURL_NOISE = re.compile(
    rb"^(?:\* [^\n]*|[{}] \[\d+ bytes data\][^\n]*"
    rb"|  % Total[^\n]*| {10,}Dload[^\n]*|[\r ]*\d+ [^\n]*--:--[^\n]*)(?:\n|\Z)"
    rb"|\* (?:Connection #\d+ to host [^\n]* left intact|(?:Closing|shutting down) connection[^\n]*)\r?\n?\Z",
    re.MULTILINE,
)
_CURL_HEADERS = re.compile(rb"^[<>] ?", re.MULTILINE)


def recognise(capture: Capture) -> int:
    """Whether it begins with a start line, or as ``curl -v`` does."""
    head = capture.head.lstrip(b"\xef\xbb\xbf\r\n")
    if START.match(head):
        return 95
    return 80 if _CURL.match(head) and _CURL_HEADERS.search(head) and b"HTTP/" in head else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The exchanges of the messages, in order."""
    text = capture.text
    if not START.match(text.data.lstrip(b"\xef\xbb\xbf\r\n")):
        text = _without_curl(text)
    asked: WireMessage | None = None
    number = 0
    for message in wire_messages(text):
        if message.status is None:
            if asked is not None:
                yield wire_exchange(capture, number, text, asked, None)
                number += 1
            asked = message
        elif message.status >= 200 and not (message.status in (301, 302, 303, 307, 308) and not message.body.data):
            yield wire_exchange(capture, number, text, asked, message)
            number += 1
            asked = None
    if asked is not None:
        yield wire_exchange(capture, number, text, asked, None)


def _without_curl(text: Text) -> Text:
    """What ``curl -v`` printed, without its remarks and the marks before headers."""
    data = text.data
    parts: list[bytes] = []
    segments: list[tuple[int, int]] = []
    size = position = 0
    cuts = sorted(match.span() for pattern in (_CURL_NOISE, _CURL_HEADERS) for match in pattern.finditer(data))
    for start, end in [*cuts, (len(data), len(data))]:
        if start > position:
            segments.append((size, position))
            parts.append(data[position:start])
            size += start - position
        position = max(position, end)
    return Text.derived(mask(b"".join(parts)), text, segments or [(0, 0)])
