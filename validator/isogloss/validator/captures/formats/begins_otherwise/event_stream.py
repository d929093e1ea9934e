"""Read the bodies of streamed responses as they came over the wire: server-sent events, one response after the other.

A file holds one response, or several that were appended. A response ends at its ``[DONE]`` if a chunk with another id
follows. Only one response at a time is kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator import sse
from isogloss.validator.captures.capture import LARGEST_DOCUMENT, Capture, TooLarge
from isogloss.validator.decode import decode, has_events, looks_like_sse, stream
from isogloss.validator.exchange import Exchange, NotJson, Skipped, Stream
from isogloss.validator.kinds import is_stream, kind_of, why_no_stream
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["NAME", "read", "recognise"]

NAME = "sse"

_DONE = b"[DONE]"
_TRIES = 8
"""How often the text of the last chunk of a response may contain ``data:``."""

_AFTER_DONE = re.compile(rb"\[DONE\][ \t]*(?:\r\n\r\n|\n\n|\r\r(?!\n))")
_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r(?!\n)")
_LOOKED_AT = 1 << 20
"""How many bytes after the end of a response are searched for the first whole event of the next one."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like an event stream and has events of JSON.

    If the user gives the kind of the payloads, it need not have events of JSON.
    """
    if has_events(capture.head):
        return 80
    return 80 if capture.kind is not None and looks_like_sse(capture.head) else 0


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the streams of the capture, and a :class:`Skipped` for each stream with the events of another API."""
    for number, text in enumerate(_responses(capture)):
        body = stream(text)
        is_chat = capture.kind is not None or is_stream(body.values) or _is_damaged(body)
        if body.values and not is_chat:
            yield Skipped(file=capture.name, number=number, reason=why_no_stream(body.values))
        else:
            yield Exchange(file=capture.name, number=number, text=text, response=body)


def _is_damaged(body: Stream) -> bool:
    """Return whether an event is not JSON, and the stream has the word ``choices``.

    A person may have written it by hand, or a server in haste.
    """
    return NotJson.BROKEN in body.values and b"choices" in body.text.data


def _responses(capture: Capture) -> Iterator[Text]:
    """Yield the text of each response. Raises :class:`TooLarge`."""
    if capture.whole_head and capture.head.count(b"[DONE]") < 2:
        yield capture.text
        return
    pending, searched, line = bytearray(), 0, 1
    blocks = capture.blocks()
    more = True
    while more:
        block = next(blocks, b"")
        more = bool(block)
        pending += block
        while (done := pending.find(_DONE, searched)) >= 0:
            if more and len(pending) - done < _LOOKED_AT:
                break  # wait for the event behind it, or for as many bytes of it as are searched
            searched = done + 1
            after = _AFTER_DONE.match(pending, done)
            if after and _response_ends(pending, done, end := after.end()):
                data = bytes(pending[:end])
                yield Text(mask(data), line=line)
                line += data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
                del pending[:end]
                searched = 0
        else:
            searched = max(searched, len(pending) - len(_DONE))
        if len(pending) > LARGEST_DOCUMENT:
            raise TooLarge(f"a stream of more than {LARGEST_DOCUMENT >> 20} MiB")
    if pending or line == 1:
        data = bytes(pending)
        pending.clear()
        yield Text(mask(data), line=line)


def _response_ends(data: bytearray, done: int, end: int) -> bool:
    """Return whether there is a ``[DONE]`` that ends a response: the chunks before and after it have different ids."""
    done_line = done - (6 if data[done - 6 : done] == b"data: " else 5)
    if done_line < 0 or not data.startswith(b"data:", done_line) or (done_line and data[done_line - 1] not in b"\r\n"):
        return False
    if data.startswith(b"data: [DONE]", end):
        return False  # another `[DONE]`, so no chunk of another response
    following = _chunk(data, end, end + _LOOKED_AT)
    if following is None or not isinstance(following.get("id"), str):
        return False
    data_line = done_line
    for _ in range(_TRIES):  # the line end is no part of this search: there may be none
        data_line = data.rfind(b"data:", 0, data_line)
        if data_line < 0:
            return False
        if data_line == 0 or data[data_line - 1] in b"\r\n":
            last = _chunk(data, data_line, done_line)
            return last is not None and last.get("id") != following["id"]
    return False


def _chunk(data: bytearray, start: int, end: int) -> dict[str, object] | None:
    """Return the first event in a part of a stream if it is a chunk, else ``None``."""
    while start < end:
        blank = _BLANK.search(data, start, end)
        after = blank.end() if blank else min(end, len(data))
        for event in sse.parse(bytes(data[start:after])).events:
            value = decode(event.data).value if event.data.startswith(b"{") else None
            return value if isinstance(value, dict) and kind_of(value) == "chunk" else None
        if blank is None:
            return None
        start = after
    return None
