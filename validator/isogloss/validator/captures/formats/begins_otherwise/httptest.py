"""Read what httptest2 and httptest (R) record: the code of an object with a response of httr2 or httr.

They keep a response with ``dput``, or its body alone if it has status 200 and JSON (``save_response`` in
R/capture-requests.R of nealrichardson/httptest2, and the recordings of edubruell/tidyllm, read 2026-11)::

    structure(list(method = "POST", url = "https://…/chat/completions",
        status_code = 200L, headers = structure(list(`content-type` = "application/json"), class = "httr2_headers"),
        body = charToRaw("{…}"), cache = new.env(…)), class = "httr2_response")

A body that is no text for R is ``as.raw(c(0x7b, 0x22))``. httr calls the body ``content``, and begins with the URL.
The request is not recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture, unpacked
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "httptest"
WORDS = (b"structure(list(",)

_START = rb'structure\(list\((?:method|url) = "'
_STRING = rb'"(?:[^"\\]|\\(?s:.))*+(?:"|\Z)'
_VALUE = rb"""(?x)
      (?: `(?P<quoted>[\w-]++)` | \b(?P<plain>[A-Za-z][\w.]*+) ) \s*+ = \s*+ (?:
          (?P<string>%b) | (?P<number>\d++)L | charToRaw\( (?P<text>%b)
        | as\.raw\( (?:c\()?+ (?P<bytes>(?:0x[0-9a-f]{2}[,\s]*+)++) \) )
    | %b
""" % (_STRING, _STRING, _STRING)
"""A value with its name, or a string without one: what stands in a string is no value."""
_NAMES = frozenset({"method", "url", "status_code", "content-type", "body", "content"})
_NO_BODY = Why("a response of httptest without a body, or with one that does not end", Cause.UNREAD)


def recognise(capture: Capture) -> int:
    """Recognise the code of a list that begins with the method or the URL."""
    return 95 if re.match(_START, capture.start) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the response as an exchange."""
    from isogloss.validator.captures import http

    found: dict[str, Text] = {}
    for match in re.finditer(_VALUE, capture.text.data):
        name = (match["quoted"] or match["plain"] or b"").decode().lower()
        if name in _NAMES and name not in found and (value := _value(capture.text, match)) is not None:
            found[name] = value  # a later one is in another object, such as the request of the response
    body = found.get("body", found.get("content"))
    if body is None:
        yield Skipped(file=capture.name, why=_NO_BODY)
        return
    words = {name: value.data.decode("utf-8", "replace") for name, value in found.items() if value is not body}
    status = words.get("status_code", "")
    yield http.exchange(
        file=capture.name,
        number=0,
        text=capture.text,
        request=http.RecordedMessage(url=words.get("url"), method=words.get("method")),
        response=http.RecordedMessage(
            body=body,
            status=int(status) if re.fullmatch(r"[1-5]\d\d", status) else None,
            content_type=words.get("content-type"),
        ),
    )


def _value(text: Text, match: re.Match[bytes]) -> Text | None:
    """Return a value as text, or ``None`` for a string that does not end."""
    from isogloss.validator.captures.bodies.literals import string_at
    from isogloss.validator.captures.document import Document

    kind = match.lastgroup
    if kind == "number":
        return text.slice(*match.span(kind))
    if kind == "bytes":
        digits = re.sub(rb"0x|[,\s]", b"", match[kind]).decode()
        return unpacked(bytes.fromhex(digits), text.slice(*match.span(kind)))
    string, _ = string_at(text, match.start(kind)) if kind else (None, 0)
    return None if string is None else Document(string).root.text()
