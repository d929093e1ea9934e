"""Read logs of programs: lines of text in which JSON objects stand behind a time, a level or the name of a service.

Such lines are those of Docker Compose (``app-1  | {…}``), of the container runtimes of Kubernetes (``<time> stdout F
{…}``), of syslog, and of whatever else writes a line for people with a body at its end. Other text with a completion or
a chunk on a line is read if no other format reads it, and if the file is called like a log or a text: what was copied
from a terminal, or printed in a way of its own. Nobody knows whether the body is as it was sent, so rules about
the bytes that were sent are not applied.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import islice

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.json_lines import exchanges_of_lines
from isogloss.validator.decode import decode_json
from isogloss.validator.exchange import Exchange, Payload, Skipped
from isogloss.validator.kinds import why_no_payload
from isogloss.validator.text import Text
from isogloss.validator.values import changed

__all__ = ["NAME", "read", "recognise"]

NAME = "log"

_LINE = rb"""(?x)
    (?: \x1b\[[\d;]*m )*                                             # a colour
    (?: [\[(<]? (?:
          (?: \d{4}[-/]\d\d[-/]\d\d[T ] )? \d\d:\d\d:\d\d            # a time, with a date or without
        | [A-Z][a-z]{2}[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d              # as syslog writes it
        | [A-Z]\d{4}[ ]\d\d:\d\d:\d\d                                # as klog writes it, behind the level
        | (?i: trace | debug | info | notice | warn | warning | error | fatal )\b (?! \s*[=(.] )
        | (?i: time | timestamp | ts | level ) =
        )
    | [\w.-]{1,80}[ ]{1,40}\|[ ]                                     # the name of a service
    )
"""
"""How lines of logs begin."""
_ANSWER = b'"chat.completion'
_TEXT_NAME = r"(?i).+\.(?:log|txt|text|out)(?:[._-][\w-]+)*"
"""The names of files that may hold any text: logs, also older ones as they are rotated, and texts."""
_OBJECT = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder()
_MOST_OBJECTS = 16
"""How many objects of a line are looked at."""
_NO_TRAFFIC = why_no_payload(None)


def recognise(capture: Capture) -> int:
    """Recognise a capture with traffic on a line in its head that begins as those of logs do.

    Lines may begin with a bracket. Such a capture begins as a JSON array does, and is none. Any other text is the least
    sure: one of its lines must hold a completion or a chunk.
    """
    if capture.start.startswith(b"{") or b"\0" in capture.head[:1024]:
        return 0
    begins_as_log = re.compile(_LINE).match
    if capture.begins_as_json and not begins_as_log(capture.start):
        return 0
    lines = capture.head.split(b"\n")
    if _holds_traffic(capture, filter(begins_as_log, lines)):
        return 55 if capture.begins_as_json else 20
    if capture.begins_as_json or not re.fullmatch(_TEXT_NAME, os.path.basename(capture.name)):
        return 0
    return 5 if _holds_traffic(capture, (line for line in lines if _ANSWER in line)) else 0


def _holds_traffic(capture: Capture, lines: Iterable[bytes]) -> bool:
    part = Capture(BytesIO(b"\n".join(lines)), capture.name, kind=capture.kind, mapping=capture.mapping)
    return any(isinstance(found, Exchange) for found in read(part))


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, a line at a time. Lines without traffic are those of any log, and are not reported."""
    groups = (
        [part for line in lines for part in islice(_objects(line), _MOST_OBJECTS)]
        for lines in capture.groups_of_lines()
    )
    for found in exchanges_of_lines(capture, groups):
        if isinstance(found, Exchange):
            yield changed(found, dumped=True) if _is_complete(found) else _incomplete(found)
        elif found.reason != _NO_TRAFFIC:
            yield found


def _objects(line: Text) -> Iterator[Text]:
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


def _is_complete(exchange: Exchange) -> bool:
    payload = exchange.request or exchange.response
    return not isinstance(payload, Payload) or payload.sound or decode_json(payload.text.data) is not None


def _incomplete(exchange: Exchange) -> Skipped:
    """Return what is reported for an object that the log has cut off, as logs do with long lines."""
    line = exchange.text.place(0).line
    reason = f"line {line}: the JSON object is not complete, or is no JSON"
    return Skipped(file=exchange.file, number=exchange.number, reason=reason)
