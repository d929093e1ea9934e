"""Find the JSON objects in a line of text, and the payload that a line is about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from isogloss.validator.decode import decode_json
from isogloss.validator.kinds import kind_of
from isogloss.validator.text import Text

__all__ = ["objects_in", "payload_on_line"]

_OBJECT = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder()
_LABEL = rb"""(?x)
    \s* (?: data:
        | (?! [-+*\#/] ) [^"'`={}]{1,200} [:\])|>]                # a label with a mark at its end
        | \[ [\w.-]{1,60} \] [^"'`={}]{0,200}                    # a label with a name in brackets at its beginning
        )? \s*
"""
_LONGEST_LABEL = 300
_PROMPT = rb"""[^"'`={}]{0,100}[#$%>](?:[ ].*)?"""
"""What may stand behind the answer: a prompt, and the next command."""


def objects_in(line: Text) -> Iterator[Text]:
    """Yield the text of each JSON object in a line. If one is not complete, it ends where the line ends."""
    text = line.data.decode("utf-8", "surrogateescape")
    end = offset = 0  # of what was read so far: in the text, and in its bytes
    while begins := _OBJECT.search(text, end):
        try:
            _, object_end = _DECODER.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            object_end = len(text)
        start = offset + _size(text[end : begins.start()])
        offset, end = start + _size(text[begins.start() : object_end]), object_end
        yield line.slice(start, offset)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def payload_on_line(line: Text) -> Text | None:
    """Return the text of the payload that a line holds, or ``None`` for another line.

    The line may begin with a label or with ``data:``, and may end in a prompt of a shell.
    """
    start = line.data.find(b"{", 0, _LONGEST_LABEL)
    if start < 0 or not re.fullmatch(_LABEL, line.data[:start]):
        return None
    payload = next(objects_in(line), None)
    if payload is None or not line.data.startswith(payload.data, start):
        return None
    rest = line.data[start + len(payload.data) :].strip()
    if rest and not re.fullmatch(_PROMPT, rest):
        return None
    decoded = decode_json(payload.data)
    return payload if decoded is not None and kind_of(decoded.value) is not None else None
