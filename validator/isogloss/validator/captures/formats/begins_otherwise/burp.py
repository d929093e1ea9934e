"""Read items and issues that Burp Suite saved as XML: requests and responses as they are on the wire.

``<request base64="true"><![CDATA[…]]></request>`` comes before its ``<response>``, with other elements between them.
Without Base64, the message is text (items that Burp Suite 2022.8.4 to 2025.6.5 exported, in public repositories, and
https://docs.defectdojo.com/supported_tools/parsers/file/burp for issues, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.bodies.encoded import from_base64
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.wire import WireMessage, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.text import Text

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "burp"
WORDS = (b"burpVersion",)

_ROOT = rb"<(?:items|issues)\s[^<>]*burpVersion="
_MESSAGE = re.compile(rb"<(request|response)\b([^<>]*)>(<!\[CDATA\[)?")
_IN_BASE64 = b'base64="true"'


def recognise(capture: Capture) -> int:
    """Recognise a capture whose root element names the version of Burp."""
    return 90 if capture.start.startswith(b"<") and re.search(_ROOT, capture.beginning) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchange of each request, in order."""
    text, number = capture.text, 0
    request: tuple[Text, WireMessage | None] | None = None
    end = 0
    while match := _MESSAGE.search(text.data, end):
        end = _end_of_message(text.data, match)
        try:
            found = _message(text.slice(match.end(), end), match[2])
        except Unreadable as error:
            yield error.skipped(capture.name, number)
            number += 1
            continue
        if match[1] == b"request":
            if request is not None:
                yield wire_exchange(capture, number, *request, None)
                number += 1
            request = found
        elif request is not None:
            yield wire_exchange(capture, number, *request, found[1])
            number, request = number + 1, None
    if request is not None:
        yield wire_exchange(capture, number, *request, None)


def _end_of_message(data: bytes, match: re.Match[bytes]) -> int:
    end = data.find(b"<" if match[3] is None else b"]]>", match.end())
    return len(data) if end < 0 else end


def _message(text: Text, attributes: bytes) -> tuple[Text, WireMessage | None]:
    """Return the text of a message, and the message. Raises :class:`Unreadable`."""
    if _IN_BASE64 in attributes:
        text = from_base64(text)
    return text, next(wire_messages(text), None)
