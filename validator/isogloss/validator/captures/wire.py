"""Read HTTP/1 messages as they are written on the wire: start line, headers and body, with chunk framing or without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.trailing import without_prompt
from isogloss.validator.captures.capture import Capture, made_of, skip_unreadable
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.captures.limits import Budget
from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = [
    "LEADING", "WireMessage", "content_length", "first_line", "recorded_message", "start_line", "wire_exchange",
    "wire_messages",
]  # fmt: skip

LEADING = b"\xef\xbb\xbf\r\n"
"""The bytes that may stand before the first message of a text."""
_STATUS = rb"HTTP/\d(?:\.\d)?[ \t]+(?P<status>\d{3})(?!\d)[^\r\n]*+"
_REQUEST = rb"(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ \t]+(?P<target>\S+)[ \t]+HTTP/\d(?:\.\d)?"
_BARE_REQUEST = (
    rb"(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ \t]+"
    rb"(?P<target>(?:https?://|/|\{\{[^{}\s]{1,60}\}\})\S+)[ \t]*\r?\n"
    rb"(?=[A-Za-z][A-Za-z-]*+:|\r?\n(?!\s*+[A-Za-z][\w ]{0,30}:[ \t]*\r?\n)|\{\s*+\"|HTTP[ ](?:\d{3}|\*)\s)"
)
"""A request line without a version, before headers or a blank line, as REST clients and caches of tests write it.

In pages, the body also stands directly below it, and in tests of Hurl what is expected of the answer. A label in place
of the body (``Request:``) shows a text in words of its own.
"""
_VARIABLE = r"\A\{\{[^{}]*\}\}"
_ELSEWHERE = (b"< ", b"file,", b"```")
"""How a body begins that REST clients take from a file, and a body that Hurl writes in a form of its own."""
_BEHIND_BODY = rb"(?m)^(?:HTTP[ ](?:\d{3}|\*)[ \t]*\r?$|>[ ]\{%|>>!?[ ]|<>[ ])"
"""What REST clients read behind the body of a request: the answer that a test of Hurl expects, a script, a file."""
_START = rb"(?:" + _STATUS + rb"|" + _REQUEST + rb")[ \t]*(?:\r?\n|\Z)"
_NEXT = rb"(?m)^(?=HTTP/|[A-Z]{3,7}[ \t])"
_JOINED = rb"(?<=[}\]])HTTP/\d(?:\.\d)?[ ]\d{3}\b"
"""A response behind one whose body has no line end, in what several commands wrote to one file."""
_HEADER = rb"([!#$%&'*+.^_`|~0-9A-Za-z-]++):[ \t]*+([^\r\n]*+)(?:\r?\n|\Z)"
_BLANK = rb"\r?\n|\Z"
_CHUNK = rb"([0-9a-fA-F]{1,15})(?:[ \t]*;[^\r\n]*)?\r?\n"


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Compile a pattern at its first use. ``re.compile`` takes ten times longer to find it again."""
    return re.compile(pattern)


def start_line(data: bytes, position: int) -> re.Match[bytes] | None:
    """Match the start line of a request or a response that begins at `position`."""
    return _compiled(_START).match(data, position)


def first_line(data: bytes, position: int = 0) -> re.Match[bytes] | None:
    """Match the start line with which a text begins at `position`; that of a request may have no version."""
    return start_line(data, position) or _compiled(_BARE_REQUEST).match(data, position)


class WireMessage(Struct, frozen=True):
    """One request or response. Names of headers are in lower case. Of headers with the same name, the last counts.

    ``behind`` is what stands between the body and the next message: what a terminal shows, and no part of a message.
    ``is_empty`` says that a response has chunk framing, and that no bytes are in it.
    """

    headers: dict[str, str]
    body: Text
    behind: Text
    status: int | None
    method: str | None
    target: str | None
    is_empty: bool = False

    @property
    def is_interim(self) -> bool:
        """Whether it is a response that only announces another one, such as ``100 Continue``."""
        return self.status is not None and self.status < 200


@skip_unreadable
def wire_exchange(
    capture: Capture, number: int, text: Text, request: WireMessage | None, response: WireMessage | None
) -> Exchange | Skipped:
    """Return the exchange of a request and its response; one of them may be missing. ``text`` is where both stand."""
    return http.exchange(
        file=capture.name,
        number=number,
        text=text,
        request=recorded_message(request, capture.budget) if request else RecordedMessage(),
        response=recorded_message(response, capture.budget) if response else RecordedMessage(),
        on_wire=True,
    )


def content_length(headers: Mapping[str, str]) -> int | None:
    """Return how many bytes headers announce for the body, or ``None`` if that is not known."""
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 12 else None


def recorded_message(message: WireMessage, budget: Budget) -> RecordedMessage:
    """Return the parts of a message, with its body as it is without content encodings. Raises :class:`Unreadable`."""
    return RecordedMessage(
        body=http.decoded_body(message.body, message.headers.get("content-encoding"), budget),
        status=message.status,
        content_type=message.headers.get("content-type"),
        url=_url(message),
        method=message.method,
    )


def _url(message: WireMessage) -> str | None:
    """Return the URL of a request, or as much of it as is known."""
    url = re.sub(_VARIABLE, "", message.target) if message.target else None
    host = message.headers.get("host")
    return f"//{host}{url}" if url and host and url.startswith("/") else url


def wire_messages(text: Text) -> Iterator[WireMessage]:
    """Yield the messages of a text, one behind the other, as long as start lines follow."""
    return _Reader(text).messages()


class _Reader:
    """Reads messages, in time that grows with the length of the text, whatever lengths the messages claim."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._data = text.data
        self._content_end = len(self._data.rstrip())
        self._unframed: set[int] = set()
        """Where chunks begin that lead to something that is no chunk."""
        self._to_decode = 2 * len(self._data)
        """How many bytes may still be decoded to find out whether a body is JSON."""

    def messages(self) -> Iterator[WireMessage]:
        """Yield the messages, in order."""
        data = self._data
        position = len(data) - len(data.lstrip(LEADING))
        match = first_line(data, position)
        while match:
            headers, start = _headers(data, match.end())
            parts = match.groupdict()
            body, end = self._extent(headers, start, is_request=parts["method"] is not None)
            status, method, target = parts.get("status"), parts["method"], parts["target"]
            position = _next_start(data, end)
            yield WireMessage(
                headers=headers,
                body=body,
                behind=self._text.slice(end, position),
                status=int(status) if status else None,
                method=method.decode() if method else None,
                target=target.decode(errors="replace") if target else None,
                is_empty=parts["method"] is None and end > start and not body.data,
            )
            match = start_line(data, position)

    def _extent(self, headers: dict[str, str], start: int, *, is_request: bool) -> tuple[Text, int]:
        """Return the body that begins at `start`, and where it ends.

        Its framing says where it ends, if that agrees with what follows, or if the body is JSON up to there. If not, it
        ends before the first of these: the next start line, the prompt of a shell, what a script printed before the
        next message, and the end of the text. curl prints a body without chunk framing and decompressed, or prints no
        body, but the headers as they were sent.
        """
        text, data = self._text, self._data
        if "chunked" in headers.get("transfer-encoding", "").lower() and (dechunked := self._dechunk(start)):
            return dechunked
        length = content_length(headers)
        if length is not None and not start_line(data, start):
            end = min(start + length, len(data) + 1)  # a body may be shorter than its length, and words behind it
            if self._content_end <= end <= len(data) or start_line(data, end) or self._is_document(start, end):
                return text.slice(start, end), end
        end = _next_start(data, start)
        if not is_request:
            joined = (match.start() for match in _compiled(_JOINED).finditer(data, start, end))
            end = next((position for position in joined if self._is_document(start, position)), end)
            body = without_prompt(text.slice(start, end), before_message=end < len(data))
            return body, start + len(body.data)
        if data.startswith(_ELSEWHERE, start):
            return text.slice(start, start), end
        behind = _compiled(_BEHIND_BODY).search(data, start, end)
        return without_prompt(text.slice(start, end if behind is None else behind.start())), end

    def _is_document(self, start: int, end: int) -> bool:
        """Return whether a part of the text is a JSON object or array."""
        if not (self._data.startswith((b"{", b"["), start) and self._data.endswith((b"}", b"]"), start, end)):
            return False
        self._to_decode -= end - start
        return self._to_decode >= 0 and decode_json(self._data[start:end]) is not None

    def _dechunk(self, start: int) -> tuple[Text, int] | None:
        """Return a body without its chunk framing, and where it ends, or ``None`` if it is not framed.

        A body that is cut off is returned as far as it goes.
        """
        text, data = self._text, self._data
        chunks: list[tuple[int, bytes]] = []
        begun: list[int] = []
        position = start
        chunk = _compiled(_CHUNK)
        while position not in self._unframed and (match := chunk.match(data, position)):
            begun.append(position)
            length = int(match[1], 16)
            position = match.end()
            if not length:
                _, end = _headers(data, position)  # trailers
                return made_of(text, chunks), end
            chunks.append((position, data[position : position + length]))
            position += len(chunks[-1][1])
            if data.startswith(b"\r\n", position):
                position += 2
            elif data.startswith(b"\n", position):
                position += 1
            else:
                break
        if chunks and position == len(data):
            return made_of(text, chunks), position
        self._unframed.update(begun)
        return None


def _next_start(data: bytes, position: int) -> int:
    """Return where the next message begins, or the end of the data. A shell or curl may have printed something before.

    Start lines in a body do not count here: the body ends at `position`.
    """
    if start_line(data, position):
        return position
    starts = (match.start() for match in _compiled(_NEXT).finditer(data, position))
    return next((start for start in starts if start_line(data, start)), len(data))


def _headers(data: bytes, position: int) -> tuple[dict[str, str], int]:
    headers: dict[str, str] = {}
    header = _compiled(_HEADER)
    while match := header.match(data, position):
        headers[match[1].decode().lower()] = match[2].decode("latin-1").strip()
        position = match.end()
    blank = _compiled(_BLANK).match(data, position)
    return headers, blank.end() if blank else position
