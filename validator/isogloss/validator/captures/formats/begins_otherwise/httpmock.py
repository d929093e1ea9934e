"""Read recordings of httpmock (Rust): in each YAML document, ``when`` is a request, and ``then`` is its response."""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures import http
from isogloss.validator.captures.bodies.encoded import from_base64
from isogloss.validator.captures.capture import Capture, skip_unreadable
from isogloss.validator.captures.document import Node, documents
from isogloss.validator.captures.http import RecordedMessage
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "httpmock"
WORDS = (b"when:",)

_WHEN_THEN = rb"(?m)^when:[ \t]*\r?$"


def recognise(capture: Capture) -> int:
    """Recognise a YAML document with a property ``when`` that holds more properties."""
    return 85 if not capture.begins_as_json and re.search(_WHEN_THEN, capture.beginning) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each document of the recording, or a :class:`Skipped`."""
    for number, document in enumerate(documents(capture)):
        yield _exchange(capture, number, document.root)


@skip_unreadable
def _exchange(capture: Capture, number: int, recording: Node) -> Exchange | Skipped:
    when, then = recording.get("when"), recording.get("then")
    headers = then.get("header")
    return http.exchange_of_part(
        capture,
        number,
        recording,
        RecordedMessage(
            body=_body(capture, when, when.get("header")), url=_url(when), method=when.get("method").string()
        ),
        RecordedMessage(
            body=_body(capture, then, headers),
            status=then.get("status").integer(),
            content_type=http.header(headers, "content-type"),
        ),
    )


def _url(when: Node) -> str | None:
    path = when.get("path").string()
    host = http.header(when.get("header"), "host") or when.get("host").string()
    return f"//{host}{path}" if host and path else path


def _body(capture: Capture, message: Node, headers: Node) -> Text | None:
    body = message.get("body", "body_base64")
    text = body.text()
    if text is None:
        return None
    if body.at[-1] == "body_base64":
        text = from_base64(text)
    return http.decoded_body(text, http.header(headers, "content-encoding"), capture.budget)
