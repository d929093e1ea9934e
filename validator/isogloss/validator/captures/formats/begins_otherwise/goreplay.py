"""Read files of GoReplay: HTTP messages as they are on the wire, each behind a line about it, and before a separator.

The line has the kind of the message (1 for a request, 2 for its response, 3 for the response that a replay of the
request got), the id of the request, and times (``payloadHeader`` and ``payloadSeparator`` in protocol.go of
buger/goreplay, read 2026-11). Several requests may be under way at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.wire import WireMessage, start_line, wire_exchange, wire_messages
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "WORDS", "read", "recognise"]

NAME = "goreplay"
WORDS = (b"HTTP/",)

_HEADER = rb"([123]) ([0-9A-Za-z-]{1,64})(?: -?\d{1,20}){1,2}\r?\n"
_SEPARATOR = "\n🐵🙈🙉\n".encode()


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins with the line about a message, and a message behind it."""
    header = re.match(_HEADER, capture.head)
    return 90 if header is not None and start_line(capture.head, header.end()) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in the order of their responses, and then the requests that got none."""
    text, number, start = capture.text, 0, 0
    requests: dict[bytes, WireMessage] = {}
    unanswered: set[bytes] = set()
    for part in text.data.split(_SEPARATOR):
        end = start + len(part)
        header = re.match(_HEADER, part)
        message = next(wire_messages(text.slice(start + header.end(), end)), None) if header is not None else None
        start = end + len(_SEPARATOR)
        if header is None or message is None:
            continue
        kind, key = header.groups()
        if kind == b"1":
            requests[key] = message
            unanswered.add(key)
        else:
            unanswered.discard(key)
            yield wire_exchange(capture, number, text, requests.get(key), message)
            number += 1
    for key, request in requests.items():
        if key in unanswered:
            yield wire_exchange(capture, number, text, request, None)
            number += 1
