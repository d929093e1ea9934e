"""The body of a streamed response as it came over the wire: server-sent events."""

from __future__ import annotations

from collections.abc import Iterator

from isogloss.validator.captures.source import Capture
from isogloss.validator.decode import looks_like_sse, stream
from isogloss.validator.exchange import Event, Exchange, Response, Skipped
from isogloss.validator.kinds import kind_of

__all__ = ["NAME", "read", "recognise"]

NAME = "sse"


def recognise(capture: Capture) -> int:
    """Whether it begins with an SSE field or comment."""
    if not looks_like_sse(capture.head):
        return 0
    return 80 if b"data:" in capture.head else 10


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """The one stream of the capture, unless its events are another API's."""
    body = stream(capture.text)
    ours = capture.kind is not None or any(
        value in (Event.DONE, Event.BROKEN) or kind_of(value) for value in body.values
    )
    if body.values and not ours:
        yield Skipped(file=capture.name, number=0, reason="not Chat Completions: a stream of other events")
        return
    yield Exchange(file=capture.name, number=0, text=capture.text, response=Response(body=body))
