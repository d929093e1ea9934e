"""Read HTTP messages as they are written on the wire, or as a terminal shows them: ``curl -i``, ``curl -v``, HTTPie.

A copy of a terminal may begin with the command, and prompts may stand between and behind the messages. ``curl -v``
prints no request bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture, without
from isogloss.validator.captures.texts.wire import WireMessage, first_line, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["begins_as_terminal", "begins_as_wire", "exchanges_of_messages"]

_LEADING = b"\xef\xbb\xbf\r\n"
_COMMAND = rb"""(?:[^"'`={}<\r\n]{0,100}[#$%>][ ]?)?(?:curl|https?|xh)[ ]"""
"""A prompt of a shell, and the command that prints messages."""
_MESSAGE = rb"(?m)^(?:HTTP/\d|[<>] (?:HTTP/\d|[A-Z]{3,7} [^\r\n]*HTTP/\d))"
"""The start line of a message, alone or behind a mark of curl."""
_FIRST = rb"(?m)^(?:HTTP/\d|[*<>] |[{}] \[\d+ bytes data\])"
_CURL_BEGINS = (b"* ", b"> ", b"< ", b"{ [", b"} [")
_CURL = rb"(?m)^(?:[*><] |[{}] \[\d+ bytes data\])"
_CURL_NOISE = (
    rb"(?m)^(?:\* [^\n]*|[{}] \[\d+ bytes data\][^\n]*"
    rb"|  % Total[^\n]*| {10,}Dload[^\n]*|[\r ]*\d+ [^\n]*--:--[^\n]*)(?:\n|\Z)"
    rb"|(?<=[}\]])\*[ ]+(?:Connection #\d|Closing |shutting down |Trying |Host |Uses |Found |Re-using )[^\n]*"
    rb"|\* (?:Connection #\d+ to host [^\n]{1,300} left intact|(?:Closing|shutting down) connection[^\n]{0,100})\n?\Z"
)
_CURL_HEADERS = rb"(?m)^[<>] ?"


def begins_as_wire(head: bytes) -> bool:
    """Return whether a text begins with the start line of a message."""
    head = head.lstrip(_LEADING)
    return head[:1].isupper() and first_line(head) is not None


def begins_as_terminal(head: bytes) -> bool:
    """Return whether a text begins like the output of ``curl -v``, or with a command before messages."""
    head = head.lstrip(_LEADING)
    if head.startswith(_CURL_BEGINS):
        return b"HTTP/" in head and bool(re.match(_CURL, head) and re.search(_CURL_HEADERS, head))
    return b"HTTP/" in head and bool(re.match(_COMMAND, head) and re.search(_MESSAGE, head))


def exchanges_of_messages(capture: Capture, text: Text) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the messages in a text, numbered from 0. A request and the response after it are one."""
    if re.match(_COMMAND, text.data.lstrip(_LEADING)) and (first := re.search(_FIRST, text.data)):
        text = text.slice(first.start(), len(text.data))
    if not first_line(text.data.lstrip(_LEADING)):
        text = _without_curl(text)
    number = 0
    request: WireMessage | None = None
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
    patterns = (_CURL_NOISE, _CURL_HEADERS)
    return without(text, sorted(match.span() for one in patterns for match in re.finditer(one, text.data)))
