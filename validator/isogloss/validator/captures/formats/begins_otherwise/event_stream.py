"""Read the bodies of streamed responses as they came over the wire: server-sent events, one response after the other.

A file holds one response, or several that were appended. A response ends at its ``[DONE]`` if a chunk with another id
follows, or a chunk behind events of another API. Lines between two responses that are no fields, such as headings, are
left out. Only one response at a time is kept in memory. A file with the name of a text may be a copy. Two things that a
copy changes are no faults there: all fields are indented, or blank lines are missing, between all events or at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator import sse
from isogloss.validator.captures.bodies.trailing import WORDS_BEHIND, without_counts, without_prompt, without_words
from isogloss.validator.captures.capture import Capture, without
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge
from isogloss.validator.captures.texts.log_entries import begins_as_log
from isogloss.validator.captures.traffic import has_faulty_chunks
from isogloss.validator.decode import decode, has_events, is_whole_event, looks_like_sse, stream
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.kinds import is_stream, kind_of, why_no_stream
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text, count_line_ends

__all__ = ["NAME", "read", "recognise"]

NAME = "sse"

_DONE = b"[DONE]"
_TRIES = 8
"""How often the text of the last chunk of a response may contain ``data:``."""

_ANSWER = re.compile(rb"""(?m)^\{[^{}]*"object":\s*"chat\.completion\"""")
"""How a whole answer begins on a line."""
_AFTER_DONE = re.compile(rb"\[DONE\][ \t]*(?:\r\n\r\n|\n\n|\r\r(?!\n))")
_FIELD = re.compile(rb"(?<=[\r\n])(?:data|event|id|retry)?:")
_FIELD_AT_START = rb"(?m)^(?:data|event|id|retry)?:"
_INDENTATION = rb"(?m)^[ \t]+(?=(?:data|event|id|retry)?:)"
_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r(?!\n)")
_LOOKED_AT = 1 << 20
"""How many bytes after the end of a response are searched for the first whole event of the next one."""


def recognise(capture: Capture) -> int:
    """Recognise a capture that begins like an event stream and has events of JSON.

    If the user gives the kind of the payloads, it need not have events of JSON. A text with a whole answer or a line of
    a log behind a stream is rather one of several answers.
    """
    if not has_events(capture.head):
        return 80 if capture.kind is not None and looks_like_sse(capture.head) else 0
    done = capture.head.find(_DONE) if capture.kind is None and capture.is_called_like_text else -1
    behind = capture.head[done + len(_DONE) :] if done >= 0 else b""
    has_other = behind.startswith(b"{") or _ANSWER.search(behind) or begins_as_log(behind.lstrip())
    return 4 if has_other else 80


def read(capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield the streams of the capture, and a :class:`Skipped` for each stream with the events of another API."""
    for number, text in enumerate(_responses(capture)):
        text, has_words = without_counts(text), False
        if capture.is_called_like_text:
            printed = without_prompt(text)
            text = without_words(printed)
            has_words = text is not printed
            text = _without_indentation(text)
        body = stream(text)
        if capture.is_called_like_text and body.framing is not None:
            sse.restore_blank_lines(body.framing, is_whole_event)
        is_chat = capture.kind is not None or is_stream(body.values) or has_faulty_chunks(body)
        if body.values and not is_chat:
            yield Skipped(file=capture.name, number=number, why=why_no_stream(body))
        else:
            yield Exchange(file=capture.name, number=number, text=text, response=body)
            if has_words:
                yield Skipped(file=capture.name, why=WORDS_BEHIND)


def _without_indentation(text: Text) -> Text:
    """Return a text whose fields are all indented without this indentation, which no server sends."""
    if re.search(_FIELD_AT_START, text.data):
        return text
    return without(text, [match.span() for match in re.finditer(_INDENTATION, text.data)])


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
            start = _next_response(pending, done, after.end()) if after else None
            if after and start is not None:
                yield Text(mask(bytes(pending[: after.end()])), line=line)
                line += count_line_ends(bytes(pending[:start]))
                del pending[:start]
                searched = 0
        else:
            searched = max(searched, len(pending) - len(_DONE))
        if len(pending) > LARGEST_DOCUMENT:
            raise TooLarge(f"a stream of more than {LARGEST_DOCUMENT >> 20} MiB")
    data = bytes(pending)
    pending.clear()
    yield Text(mask(data), line=line)


def _next_response(data: bytearray, done: int, end: int) -> int | None:
    """Return where the next response begins, if there is a ``[DONE]`` that ends a response, else ``None``.

    It begins with a chunk. The last chunk before the ``[DONE]``, if there is one, has another id.
    """
    done_line = done - (6 if data[done - 6 : done] == b"data: " else 5)
    if done_line < 0 or not data.startswith(b"data:", done_line) or (done_line and data[done_line - 1] not in b"\r\n"):
        return None
    field = _FIELD.search(data, end, end + _LOOKED_AT)
    if field is None:
        return None
    start = field.start()
    following = _chunk(data, start, end + _LOOKED_AT)
    if following is None or not isinstance(following.get("id"), str):
        return None
    data_line = done_line
    for _ in range(_TRIES):  # the line end is no part of this search: there may be none
        data_line = data.rfind(b"data:", 0, data_line)
        if data_line < 0:
            break
        if data_line == 0 or data[data_line - 1] in b"\r\n":
            last = _chunk(data, data_line, done_line)
            if last is not None:
                return start if last.get("id") != following["id"] else None
    return start


def _chunk(data: bytearray, start: int, end: int) -> dict[str, object] | None:
    """Return the first event in a part of a stream if it is a chunk, else ``None``."""
    while start < end:
        blank = _BLANK.search(data, start, end)
        after = blank.end() if blank else min(end, len(data))
        framing = sse.parse(bytes(data[start:after]))
        sse.separate(framing, is_whole_event)
        for event in framing.events:
            value = decode(event.data).value if event.data.startswith(b"{") else None
            return value if isinstance(value, dict) and kind_of(value) == "chunk" else None
        if blank is None:
            return None
        start = after
    return None
