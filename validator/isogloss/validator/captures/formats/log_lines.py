"""Read logs of programs: lines of text in which JSON objects stand behind a time, a level or the name of a service.

Such lines are those of Docker Compose (``app-1  | {…}``), of the container runtimes of Kubernetes (``<time> stdout F
{…}``), of syslog, and of whatever else writes a line for people with a body at its end. The body may go on over
indented lines, as LM Studio writes it. It may also be an item of a list (``- body: {…}``) below the line, as
LangChain4j writes it. Nobody knows whether the body is as it was sent, so rules about the bytes that were sent are not
applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import BytesIO

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Node
from isogloss.validator.captures.texts.log_entries import begins_as_log, is_other_text, lines_of_entries
from isogloss.validator.decode import decode_json, kind_of_json
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why, as_dumped
from isogloss.validator.kinds import why_no_payload
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "log"

_NO_TRAFFIC = why_no_payload(None)
_ASKED = rb'messages\\?"'
_ANSWERED = rb'(?:choices|error)\\?"'
_IN_BRACKETS = rb"\[[\w.:/-]{1,60}\][^{}\r\n]{0,200}\{[ \t]*\r?$"
"""A line that ends with the first brace of an object, behind a word in brackets."""


def recognise(capture: Capture) -> int:
    """Recognise a capture with traffic on a line in its head that begins as those of logs do.

    If a line begins with a time, or as Python logs without one, the traffic may also stand below it, where LiteLLM and
    others have it. A capture whose lines begin with a bracket, or in which text follows a first record, begins as JSON
    does, and is none. In a file with the name of a log or a text, an exchange may also stand in a record of JSON, or
    behind words of any kind. Such a file is recognised less surely. So is one in which all traffic in the head is that
    of other APIs.
    """
    is_entry = begins_as_log(capture.start)
    if capture.begins_as_json and not is_entry and not _has_text_behind_record(capture):
        return 0
    if capture.is_binary:
        return 0
    lines = [Text(line) for line in capture.start.split(b"\n")]
    if capture.begins_as_json:
        return 55 if _has_exchange(capture, lines_of_entries(lines) if is_entry else lines) else 0
    in_entries = _has_exchange(capture, lines_of_entries(lines))
    if in_entries:
        return 20
    is_text = capture.is_called_like_text and not is_other_text(capture.head)
    has_brackets = is_text and re.search(rb"(?m)^" + _IN_BRACKETS, capture.start) is not None
    if has_brackets and _has_exchange(capture, _behind_brackets(lines)):
        return 6
    if is_text and _has_exchange(capture, filter(_may_hold_exchange, lines)):
        return 4
    return 3 if in_entries is False else 0


def _has_text_behind_record(capture: Capture) -> bool:
    """Return whether the first line of a capture is a JSON object by itself and no payload, and text is behind it.

    A file that is called ``.json`` is meant to be one JSON text, with a fault.
    """
    first, newline, rest = capture.start.partition(b"\n")
    if not newline or first.rstrip() == b"{" or rest.lstrip()[:2] in (b"", b'{"'):
        return False
    if not first.startswith(b"{") or capture.has_ending(".json"):
        return False
    return decode_json(first) is not None and kind_of_json(first) is None


def _has_exchange(capture: Capture, lines: Iterable[Text]) -> bool | None:
    """Return whether an exchange is on one of these lines, or below it, or ``None`` if they have no traffic at all."""
    kept = b"\n".join(line.data for line in lines)
    if not kept:
        return None
    found = read(Capture(BytesIO(kept), capture.name, kind=capture.kind, mapping=capture.mapping))
    has_traffic = None
    for one in found:
        if isinstance(one, Exchange):
            return True
        has_traffic = False
    return has_traffic


def _may_hold_exchange(line: Text) -> bool:
    """Return whether a line is a record in JSON, or may hold a request and an answer behind words of any kind."""
    data = line.data
    if data.startswith(b'{"'):
        return kind_of_json(data) is None
    return re.search(_ASKED, data) is not None and re.search(_ANSWERED, data) is not None


def _behind_brackets(lines: Iterable[Text]) -> Iterator[Text]:
    """Yield the lines of objects that begin behind a word in brackets, as programs print what they do."""
    is_inside = False
    for line in lines:
        begins = re.match(_IN_BRACKETS, line.data) is not None
        if begins or is_inside:
            yield line
        is_inside = begins or (is_inside and not line.data.startswith(b"}"))


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, a line at a time. Lines without traffic are those of any log, and are not reported."""
    from isogloss.validator.captures.bodies import objects, over_lines
    from isogloss.validator.captures.structures import side_by_side, values
    from isogloss.validator.captures.texts import json_lines, split_pairs

    def holds_part(node: Node) -> bool:
        """Return whether an object holds an exchange, or a request whose answer may stand in another object."""
        if values.holds_exchange(capture, node):
            return True
        half = side_by_side.half_of(capture, 0, node)
        return half is not None and half.request is not None

    groups = over_lines.groups_in(capture.lines(), objects.objects_in, holds_part)
    for found in json_lines.exchanges_of_lines(capture, groups):
        if isinstance(found, Exchange):
            yield as_dumped(found) if split_pairs.is_complete(found) else _incomplete(found)
        elif found.why != _NO_TRAFFIC and found.why.cause is not Cause.FAULTY:
            yield found


def _incomplete(exchange: Exchange) -> Skipped:
    """Return what is reported for an object that the log has cut off, as logs do with long lines."""
    line = exchange.text.place(0).line
    why = Why(f"line {line}: the JSON object is not complete, or is no JSON")
    return Skipped(file=exchange.file, number=exchange.number, why=why)
