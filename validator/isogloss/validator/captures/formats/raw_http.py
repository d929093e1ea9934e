"""Read HTTP messages as they are written on the wire, or as ``curl -i``, ``curl -v`` and HTTPie print them.

Bodies may have chunk framing or not. A request and the response after it are one exchange. ``curl -v`` prints no
request bodies. A copy of a terminal may begin with the command, and prompts may stand between and behind the messages.
A recorder may write a line of JSON about the messages before them: unittest/testdata of kingfs/llm-tracelab, read
2026-11. Fiddler writes the request of a session to ``1_c.txt``, and its response to ``1_s.txt`` in the folder ``raw``
of a zip file (unsaz.py in adepasquale/unsaz, read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.attachments import read_attachment
from isogloss.validator.captures.capture import Capture, unpacked
from isogloss.validator.captures.wire import wire_exchange, wire_messages
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why

__all__ = ["NAME", "read", "recognise"]

NAME = "http"

_OF_REST_CLIENTS = (".http", ".rest")
_CURL_COUNTS = b"{ ["
"""How ``curl -v`` begins to say how many bytes came."""
_SESSION = r"(?:\A|/)raw/(\d{1,9})_([cs])\.txt"
"""The name of a half of a session of Fiddler."""
_OTHER = {"c": "s", "s": "c"}


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins with a start line, or as ``curl -v`` prints it, or with a command before that.

    A line with a JSON object may stand before the messages, and remarks in a file that is called like a REST client's.
    """
    is_json = capture.begins_as_json and not capture.start.startswith(_CURL_COUNTS)
    if is_json and b"HTTP/" not in capture.beginning:
        return 0
    from isogloss.validator.captures.texts import terminal

    if is_json:
        return 95 if terminal.begins_as_wire(capture.head[_length_of_metadata(capture.head) :]) else 0
    if terminal.begins_as_wire(capture.head):
        return 95
    if capture.has_ending(_OF_REST_CLIENTS) and terminal.begins_as_rest_client(capture.head):
        return 95
    return 80 if terminal.begins_as_terminal(capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of the messages, in order, with the bodies that commands show: ``curl -v`` prints none."""
    from isogloss.validator.captures.texts.command_pairs import with_commands

    return with_commands(capture, _read(capture))


def _read(capture: Capture) -> Iterator[Exchange | Skipped]:
    from isogloss.validator.captures.texts.blocks import exchanges_of_terminal
    from isogloss.validator.captures.texts.terminal import exchanges_of_messages

    text = capture.text
    session = re.search(_SESSION, capture.name)
    other = f"{session[1]}_{_OTHER[session[2]]}.txt" if session else ""
    if session is None or capture.beside is None or capture.beside(other) is None:
        messages = text.slice(_length_of_metadata(text.data), len(text.data))
        yield from exchanges_of_messages(capture, messages, exchanges_of_terminal)
    elif session[2] == "c":
        yield Skipped(file=capture.name, why=Why(f"a request that is read with its response in {other}", Cause.OTHER))
    else:
        request = unpacked(read_attachment(capture, other), text)
        responses = (message for message in wire_messages(text) if not message.is_interim)
        yield wire_exchange(capture, 0, text, next(wire_messages(request), None), next(responses, None))


def _length_of_metadata(data: bytes) -> int:
    """Return the length of the line with a JSON object, as llm-tracelab writes it before messages, or 0."""
    end = data.find(b"\n") + 1
    return end if data[:end].strip().startswith(b"{") and data[:end].strip().endswith(b"}") else 0
