"""Say what is wrong with an answer that HTTP clients of Python cannot read, and with the encoding of its body.

``httpx`` passes on what ``h11`` says, in words about the library. Here are words about the answer.
"""

from __future__ import annotations

import re
from collections.abc import Container

from msgspec import Struct

__all__ = ["CUT_OFF", "NOT_AS_SAID", "NOT_SAID", "REDIRECTS", "HttpFault", "fault_in", "fault_of_headers", "http_fault"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""The statuses that name another URL. Others below 400 and from 300 on are neither answers nor errors."""

NOT_AS_SAID = "it is not encoded as its Content-Encoding says"
CUT_OFF = "it ends before its compressed data does"
NOT_SAID = "it is compressed with {}, and has no Content-Encoding that says so"

_TWO_FRAMINGS = "it has both Transfer-Encoding and Content-Length"

_CLOSED = "Server disconnected|peer (?:unexpectedly )?closed connection"
"""How h11 and httpx begin their messages if the connection ends before the answer does."""
_NO_HEADERS = "the connection was closed before all of its headers had come"
_WORDS = {
    "illegal status line|Bad HTTP response line": "it does not begin with a status line",
    "illegal request line": "it begins with bytes that are no text; if the server wants TLS, try https://",
    "no response line": "it begins with an empty line",
    "illegal header line|continuation line|Invalid header line": "a line of its headers is malformed",
    "Received invalid header name.* from server": "a line of its headers is malformed",
    r"conflicting Content-Length|invalid content-length header: '\d+, \d": "it says several lengths in Content-Length",
    "(?:bad|invalid) content-length": "its Content-Length is no valid length",
    "(?:multiple|Only) Transfer-Encoding": "it has another Transfer-Encoding than chunked",
    "Receive buffer too long": "its headers are too long",
    "illegal chunk header": "a chunk has no size, or its size is no number",
    "malformed chunk footer": "a chunk is longer than its size says",
    "Received server _SWITCH_UPGRADE": "it changes the protocol (status 101), which nobody asked for",
    "Received message with both transfer-encoding.* from server": _TWO_FRAMINGS,
    "Received unexpected HTTP transfer-encoding.* from server": "it is chunked, and says HTTP/1.0",
    "unexpected server response": "it is no HTTP, or its headers do not end",
}
"""What is wrong with an answer, by how h11 0.16, httpx and mitmproxy 11.0.2 begin their messages."""
_NO_HTTP = "illegal status line|illegal request line|no response line"
"""How h11 begins its messages if an answer does not even begin like one of HTTP."""
_PREFIX = r"HTTP/1 protocol error: |Cannot parse HTTP response: "
"""How mitmproxy begins its messages, before the words of h11, or before what it finds wrong with headers."""
_SENT_LINE = r"bytearray\((b(['\"])(?:\\.|(?!\2)[^\\])*\2)\)"
"""What h11 quotes of an answer."""


class HttpFault(Struct, frozen=True):
    """What is wrong with an answer, in words, and the line of it that is wrong, if that is known."""

    words: str
    line: str | None
    is_break: bool
    """Whether the connection ended too early, and nothing is wrong with what came before."""
    is_http: bool
    """Whether the answer at least begins like one of HTTP."""


def http_fault(error: BaseException) -> HttpFault:
    """Return what is wrong with an answer, from the exception of a client that could not read it."""
    message = str(error)
    line = re.search(_SENT_LINE, message, re.DOTALL)
    is_closed = re.match(_CLOSED, message) is not None
    words = _NO_HEADERS if is_closed else fault_in(message) or "it does not follow HTTP/1.1"
    is_break = is_closed or type(error).__name__ != "RemoteProtocolError"
    return HttpFault(
        words=words,
        line=None if line is None else line[1][1:].replace(r"\r\n", ""),
        is_break=is_break,
        is_http=re.match(_NO_HTTP, message) is None,
    )


def fault_of_headers(headers: Container[str]) -> str | None:
    """Return what is wrong with the headers of an answer that clients of Python read, and other clients refuse.

    Node.js refuses an answer that says its length in two ways (https://github.com/timoklimmer/powerproxy-aoai/issues/53,
    2024-02), as a proxy sends it that adds a length to what it passes on. RFC 9112, section 6.2, forbids to send it.
    """
    return _TWO_FRAMINGS if "transfer-encoding" in headers and "content-length" in headers else None


def fault_in(message: str) -> str | None:
    """Return what is wrong with an answer, from the message of a library, or ``None`` if it says no such thing."""
    message = re.sub(_PREFIX, "", message, count=1)
    return next((words for start, words in _WORDS.items() if re.match(start, message, re.IGNORECASE)), None)
