"""Read logs of programs: lines of text in which JSON objects stand behind a time, a level or the name of a service.

Such lines are those of Docker Compose (``app-1  | {…}``), of the container runtimes of Kubernetes (``<time> stdout F
{…}``), of syslog, and of whatever else writes a line for people with a body at its end. The body may go on over
indented lines, as LM Studio writes it. It may also be an item of a list (``- body: {…}``) below the line, as
LangChain4j writes it. Nobody knows whether the body is as it was sent, so rules about the bytes that were sent are not
applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BytesIO

from msgspec.structs import replace

from isogloss.validator.captures.bodies.objects import objects_in
from isogloss.validator.captures.bodies.over_lines import groups_in
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.structures.values import holds_exchange
from isogloss.validator.captures.texts.json_lines import exchanges_of_lines
from isogloss.validator.captures.texts.log_entries import begins_as_log, lines_of_entries
from isogloss.validator.captures.texts.split_pairs import is_complete
from isogloss.validator.exchange import Cause, Exchange, Skipped, Why
from isogloss.validator.kinds import why_no_payload
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "log"

_NO_TRAFFIC = why_no_payload(None)


def recognise(capture: Capture) -> int:
    """Recognise a capture with traffic on a line in its head that begins as those of logs do.

    If a line begins with a time, or as Python logs without one, the traffic may also stand below it, where LiteLLM and
    others have it. Lines may begin with a bracket. Such a capture begins as a JSON array does, and is none. If all
    traffic in the head is that of other APIs, it is less sure.
    """
    if capture.start.startswith(b"{") or capture.is_binary:
        return 0
    if capture.begins_as_json and not begins_as_log(capture.start):
        return 0
    kept = b"\n".join(line.data for line in lines_of_entries(map(Text, capture.start.split(b"\n"))))
    has_other_traffic = False
    for found in read(Capture(BytesIO(kept), capture.name, kind=capture.kind, mapping=capture.mapping)):
        if isinstance(found, Exchange):
            return 55 if capture.begins_as_json else 20
        has_other_traffic = True
    return 3 if has_other_traffic else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges, a line at a time. Lines without traffic are those of any log, and are not reported."""
    groups = groups_in(capture.lines(), objects_in, partial(holds_exchange, capture))
    for found in exchanges_of_lines(capture, groups):
        if isinstance(found, Exchange):
            yield replace(found, dumped=True) if is_complete(found) else _incomplete(found)
        elif found.why != _NO_TRAFFIC and found.why.cause is not Cause.FAULTY:
            yield found


def _incomplete(exchange: Exchange) -> Skipped:
    """Return what is reported for an object that the log has cut off, as logs do with long lines."""
    line = exchange.text.place(0).line
    why = Why(f"line {line}: the JSON object is not complete, or is no JSON")
    return Skipped(file=exchange.file, number=exchange.number, why=why)
