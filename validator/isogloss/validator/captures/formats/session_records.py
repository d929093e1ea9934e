"""Session records of the test proxy of OpenAI's and Azure's libraries: ``Entries`` with ``RequestUri`` and so on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures import http
from isogloss.validator.captures.capture import Capture, Unreadable
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "session-records"

_ENTRIES = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\{\s*"Entries"\s*:\s*\[')


def recognise(capture: Capture) -> int:
    """Whether it is an object whose first member is ``Entries``."""
    return 95 if _ENTRIES.match(capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The entries of the session."""
    document = Document(capture.text, capture.document)
    for number, entry in enumerate(document.part(document.value).member("Entries").items()):
        try:
            yield _entry(capture, number, entry)
        except Unreadable as error:
            yield Skipped(file=capture.name, number=number, reason=str(error))
    if damage := document.damage(capture.name):
        yield damage


def _entry(capture: Capture, number: int, entry: Node) -> Exchange | Skipped:
    request, headers = entry.member("RequestBody"), entry.member("ResponseHeaders")
    asked = _body(capture, request, entry.member("RequestHeaders"))
    return http.exchange(
        file=capture.name,
        number=number,
        text=entry.document.text,
        at=entry.at,
        request=asked.payload("request") if isinstance(asked, Node) else asked,
        response=_body(capture, entry.member("ResponseBody"), headers),
        url=entry.member("RequestUri").string(),
        method=entry.member("RequestMethod").string(),
        status=entry.member("StatusCode").integer(),
        content_type=http.header(headers, "content-type"),
    )


def _body(capture: Capture, body: Node, headers: Node) -> Text | Node | None:
    """A body: JSON is kept parsed, text as a string or as an array of its lines."""
    if isinstance(body.value, list) and body.value and all(isinstance(line, str) for line in body.value):
        return body.joined()
    if isinstance(body.value, str):
        text = body.text()
        return text and http.plain(text, http.header(headers, "content-encoding"), capture.budget)
    return body if body.value is not None else None
