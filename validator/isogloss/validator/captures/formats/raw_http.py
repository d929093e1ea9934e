"""Read HTTP messages as they are written on the wire, or as ``curl -i``, ``curl -v`` and HTTPie print them.

Bodies may have chunk framing or not. A request and the response after it are one exchange. ``curl -v`` prints no
request bodies. A copy of a terminal may begin with the command, and prompts may stand between and behind the messages.
"""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.terminal import begins_as_terminal, begins_as_wire, exchanges_of_messages
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["NAME", "read", "recognise"]

NAME = "http"

_CURL_COUNTS = b"{ ["
"""How ``curl -v`` begins to say how many bytes came."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins with a start line, like the output of ``curl -v``, or with a command before."""
    if capture.begins_as_json and not capture.start.startswith(_CURL_COUNTS):
        return 0
    if begins_as_wire(capture.head):
        return 95
    return 80 if begins_as_terminal(capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the messages, in order."""
    yield from exchanges_of_messages(capture, capture.text)
