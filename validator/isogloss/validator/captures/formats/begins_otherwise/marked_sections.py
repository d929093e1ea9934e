"""Read records whose bodies and headers stand between lines that mark their beginning and their end.

The tests of dd-trace-java keep such records (``RequestResponseRecord`` in dd-java-agent/instrumentation/openai-java of
DataDog/dd-trace-java, read 2026-11), in two versions::

    method: POST                                   > method: POST
    path: chat/completions                         > path: chat/completions
    -- begin request body --                       > begin request body <
    {…}                                            {…}
    -- end request body --                         > end request body <
    status code: 200                               > response code: 200
    -- begin response headers --                   > begin response headers <
    content-type: application/json                 content-type -> application/json
    -- end response headers --                     > end response headers <
    -- begin response body --                      > begin response body <

and so on. The recorder adds a byte 0xFF, or what text decoding makes of it, behind a body each time that the client
reads its end. Those are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture, skip_unreadable
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "marked-sections"
WORDS = (b"begin request body", b"begin response body")

_MARK = rb"[ \t]{0,40}[-<>=#*]{0,9}[ \t]{0,9}"
_LINE = re.compile(
    rb"(?m)^" + _MARK + rb"(?:(?P<edge>begin|end) (?P<half>request|response) (?P<part>body|headers)"
    rb"|(?P<name>method|path|url|(?:status|response) code): (?P<value>[^\r\n]+?))" + _MARK + rb"\r?$\n?"
)
_CONTENT_TYPE = rb"(?im)^content-type(?::| ->)[ \t]*([^\r\n]+)"
_ADDED = rb"(?:\xff|\xef\xbf\xbd){0,20}(?:\r?\n)?\Z"
"""What the recorder adds behind a body."""
_LONGEST_ADDED = 62


def recognise(capture: Capture) -> int:
    """Recognise a line that begins a body."""
    if capture.begins_as_json:
        return 0
    return 70 if any(line["edge"] == b"begin" for line in _LINE.finditer(capture.beginning)) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, in order. Each begins with the lines about its request."""
    text, number = capture.text, 0
    found: dict[bytes, Text] = {}
    opened: re.Match[bytes] | None = None
    for line in _LINE.finditer(text.data):
        if opened is not None:
            if line["edge"] == b"end" and (line["half"], line["part"]) == (opened["half"], opened["part"]):
                found[b" ".join((line["half"], line["part"]))] = text.slice(opened.end(), line.start())
                opened = None
        elif line["edge"] == b"begin":
            opened = line
        elif line["name"]:
            if line["name"] in found:
                yield _exchange(capture, number, text, found)
                number, found = number + 1, {}
            found[line["name"]] = text.slice(*line.span("value"))
    if opened is not None:
        words = f"damaged at line {text.place(opened.start()).line}: a part that does not end"
        yield Skipped(file=capture.name, number=number, why=Why(words, Cause.UNREAD))
    elif found:
        yield _exchange(capture, number, text, found)


@skip_unreadable
def _exchange(capture: Capture, number: int, text: Text, found: dict[bytes, Text]) -> Exchange | Skipped:
    def value(*names: bytes) -> str | None:
        return next((found[name].data.decode("utf-8", "replace") for name in names if name in found), None)

    headers = found.get(b"response headers")
    content_type = re.search(_CONTENT_TYPE, headers.data) if headers is not None else None
    status, url = value(b"status code", b"response code") or "", value(b"url", b"path")
    if url is not None and "://" not in url:
        url = f"/{url.lstrip('/')}"
    return http.exchange(
        file=capture.name,
        number=number,
        text=text,
        request=RecordedMessage(body=_body(found.get(b"request body")), url=url, method=value(b"method")),
        response=RecordedMessage(
            body=_body(found.get(b"response body")),
            status=int(status) if re.fullmatch(r"[1-5]\d\d", status) else None,
            content_type=content_type[1].decode("utf-8", "replace") if content_type else None,
        ),
    )


def _body(part: Text | None) -> Text | None:
    """Return a body without what the recorder added behind it."""
    if part is None:
        return None
    added = re.search(_ADDED, part.data[-_LONGEST_ADDED:])
    return part.slice(0, len(part.data) - (len(added[0]) if added else 0))
