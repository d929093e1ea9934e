"""Read items and issues that Burp Suite saved as XML: requests and responses as they are on the wire.

``<request base64="true"><![CDATA[…]]></request>`` comes before its ``<response>``, with other elements between them.
Without Base64, the message is text (items that Burp Suite 2022.8.4 to 2025.6.5 exported, in public repositories, and
https://docs.defectdojo.com/supported_tools/parsers/file/burp for issues, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture, Unreadable
from isogloss.validator.captures.structures.encoded import from_base64
from isogloss.validator.captures.texts.wire import WireMessage, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "burp"
WORDS = (b"burpVersion",)

_ROOT = rb"<(?:items|issues)\s[^<>]*burpVersion="
_BEGINNING = re.compile(rb"<(?P<half>request|response)\b(?P<attributes>[^<>]*)>(?P<section><!\[CDATA\[)?")
_IN_BASE64 = b'base64="true"'


def recognise(capture: Capture) -> int:
    """Recognise a capture whose root element names the version of Burp."""
    return 90 if capture.start.startswith(b"<") and re.search(_ROOT, capture.beginning) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each request, in order."""
    text, number = capture.text, 0
    asked: tuple[Text, WireMessage | None] | None = None
    for begins, end in _messages(text.data):
        try:
            found = _message(text, begins, end)
        except Unreadable as error:
            yield error.skipped(capture.name, number)
            number += 1
            continue
        if begins["half"] == b"request":
            if asked is not None:
                yield wire_exchange(capture, number, *asked, None)
                number += 1
            asked = found
        elif asked is not None:
            yield wire_exchange(capture, number, *asked, found[1])
            number, asked = number + 1, None
    if asked is not None:
        yield wire_exchange(capture, number, *asked, None)


def _messages(data: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """Yield what begins each message, and where the message ends."""
    end = 0
    while begins := _BEGINNING.search(data, end):
        end = data.find(b"]]>" if begins["section"] else b"<", begins.end())
        end = len(data) if end < 0 else end
        yield begins, end


def _message(text: Text, begins: re.Match[bytes], end: int) -> tuple[Text, WireMessage | None]:
    """Return the text of a message, and the message. Raises :class:`Unreadable`."""
    part = text.slice(begins.end(), end)
    if _IN_BASE64 in begins["attributes"]:
        part = from_base64(part)
    return part, next(wire_messages(part), None)
