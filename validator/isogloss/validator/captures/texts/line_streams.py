"""Put the chunks on lines of their own together to streams.

Lines of chunks that follow each other are one stream, until one begins that is certainly of another stream. An error
that follows the chunks of a stream without an end belongs to it, and so does a whole completion that has their id: some
servers end streams with it. A chunk alone is no stream, since a log may keep only one, unless it both begins and ends
an answer. If a server answers several requests at once, a log has their chunks in turns. This shows where an id comes
back behind another one, and at least two ids have chunks that name the role: then the chunks with the same id are a
stream. A server that gives each chunk another id, by mistake, never comes back to one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct

from isogloss.validator.captures.capture import MOST_BETWEEN_CHUNKS
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge
from isogloss.validator.captures.texts.split_pairs import FoundOnLine
from isogloss.validator.decode import stream_of_lines
from isogloss.validator.exchange import Exchange, Kind, Payload, Response, Stream
from isogloss.validator.kinds.events import (
    choice_indices,
    has_finish_reason,
    is_completion_of_stream,
    is_error,
    is_whole_completion,
    may_be_chunk,
    names_role,
)
from isogloss.validator.text import Text

__all__ = ["LineStreams"]

_MOST_LINES = 2000
"""Streams that are still open are waited for until there are so many lines of chunks."""
_FROM_EVENT_TO_EVENT = 5
"""How many lines lead from the data of an event to those of the next one, at most: an id, a name and a time may stand
between them, and a blank line."""
_DONE = b"[DONE]"
_ID = rb'\{\s*"id"\s*:\s*"[^"]'
"""The beginning of an event whose first property is the id of its answer."""
_DOTS = rb"\s*(?:\.{3}|\xe2\x80\xa6)\s*\Z"


class _Line(Struct, frozen=True, gc=False):
    """A line with a chunk, or with something in its place. ``record`` is what stands on the whole line."""

    text: Text
    chunk: object
    sound: bool
    is_logged: bool
    record: object


class _OpenStream:
    """A stream that has begun: its last line so far, and the indices of its choices and of those that have ended."""

    __slots__ = ("choices", "ended", "last_line")

    def __init__(self) -> None:
        self.last_line = 0
        self.choices: set[int] = set()
        self.ended: set[int] = set()

    def add(self, chunk: object, number: int) -> None:
        """Add the chunk on a line."""
        self.last_line = number
        self.choices |= choice_indices(chunk)
        self.ended |= choice_indices(chunk, ended=True)


class LineStreams:
    """The lines of chunks that were read so far, of one stream or of several."""

    def __init__(self) -> None:
        self.lines: list[_Line] = []
        self._starts: list[int] = [0]
        """Which lines begin a stream if no id comes back."""
        self._open: dict[str, _OpenStream] = {}
        """The streams that have begun and not ended, by id. A stream ends with the last one of its choices."""
        self._ids: set[str] = set()
        self._last_id: str | None = None
        self._comes_back = False
        """Whether a chunk has the id of an earlier one, and a chunk with another id stands between them."""
        self._size = 0
        self._id: object = None
        self._finished = False
        self.name: str | None = None
        """The name of the property that holds the chunk in each line, if the line is an object around it."""
        self._lines_behind = 0
        """How many lines without an exchange stand behind the last one."""

    def add(self, text: Text, chunk: object, *, sound: bool, is_logged: bool, record: object) -> None:
        """Add a line. Raises :class:`TooLarge`."""
        self._size += len(text.data)
        if self._size > LARGEST_DOCUMENT:
            raise TooLarge(f"a stream of more than {LARGEST_DOCUMENT >> 20} MiB")
        line = _Line(text, chunk, sound, is_logged, record)
        finishes = _finishes(line)
        if isinstance(chunk, dict) and not is_error(chunk):
            self._id = chunk.get("id")
        self._finished |= finishes
        if (key := _id_of(line.chunk)) is not None:
            if key != self._last_id:
                self._comes_back |= key in self._ids
                self._ids.add(key)
                self._last_id = key
            self._follow(key, line.chunk, finishes=finishes)
        elif finishes:
            self._open = {key: stream for key, stream in self._open.items() if not stream.ended}
        self.lines.append(line)

    def _follow(self, key: str, chunk: object, *, finishes: bool) -> None:
        """Note whether the stream with this id begins, goes on or ends with a chunk."""
        stream = self._open.get(key)
        if stream is None and names_role(chunk):
            stream = self._open[key] = _OpenStream()
        if stream is not None:
            stream.add(chunk, len(self.lines))
            if finishes and (not has_finish_reason(chunk) or stream.ended >= stream.choices):
                del self._open[key]

    def is_open(self) -> bool:
        """Return whether a stream that has begun may go on behind the first chunk of another one."""
        oldest = len(self.lines) - MOST_BETWEEN_CHUNKS
        return len(self.lines) < _MOST_LINES and any(one.last_line >= oldest for one in self._open.values())

    def may_go_on_behind(self, found: Iterable[Exchange]) -> bool:
        """Return whether one of the streams may go on behind a line that holds these exchanges.

        A server may get a request while it answers others. Meanwhile it may also send the whole of another answer.
        """
        if all(one.response is None for one in found):
            return not self._finished or self.is_open()
        return self.is_open() and not any(_id_of_answer(one.response) in (None, *self._open) for one in found)

    def have_event(self, kind: Kind | None, value: object) -> bool:
        """Return whether a line holds an event of the stream on the lines before it, by the kind of its value.

        Chunks are events, and so may be what stands in the place of one: an error, the whole completion, or what has
        the usage alone.
        """
        if kind == "chunk":
            return True
        if not self.lines or self._lines_behind or not isinstance(value, dict):
            return False
        if kind == "completion" and may_be_chunk(value):
            return True
        if self._finished:
            return False
        if kind == "error":
            return is_error(value)
        return kind == "completion" and is_completion_of_stream(value, self._id)

    def have_beginning(self, text: Text) -> bool:
        """Return whether a line holds only the beginning of an event of the stream. Some logs cut events off.

        The event before begins with the same bytes, at least up to its id. Dots at the end may show that it went on.
        """
        if self._lines_behind:
            return False
        beginning = re.sub(_DOTS, b"", text.data)
        return re.match(_ID, beginning) is not None and self.lines[-1].text.data.startswith(beginning)

    def are_over_before(self, text: Text, chunk: object) -> bool:
        """Return whether a chunk begins another stream, and no stream that has begun may go on behind it."""
        if not self._ends_before(text, chunk):
            return False
        if not self.is_open():
            return True
        self._starts.append(len(self.lines))
        self._id, self._finished = None, False
        return False

    def are_over_after_other_line(self) -> bool:
        """Count a line without a chunk, and return whether there are so many now that no stream goes on."""
        self._lines_behind += 1
        return self._lines_behind > MOST_BETWEEN_CHUNKS

    def _ends_before(self, text: Text, chunk: object) -> bool:
        """Return whether a chunk begins another stream.

        It does if this stream has finished, and the chunk has another id and names the role. If other lines stand
        between them, it also does if it has another id or none, or names the role again behind the end: a gateway logs
        the stream that it got, and then the same one as it passed it on.
        """
        if not isinstance(chunk, dict) or not self.lines:
            return False
        is_other = chunk.get("id") != self._id
        is_apart, self._lines_behind = self._lines_behind > 0, 0
        if is_apart and (is_other or self._id is None):
            return True
        if self._has_other_id(chunk) and self._lines_before(text) > _lines_to_next(text):
            return True
        is_far = self._lines_before(text) > _FROM_EVENT_TO_EVENT
        return self._finished and names_role(chunk) and (is_other or is_apart or is_far)

    def _has_other_id(self, chunk: object) -> bool:
        """Return whether a chunk has an id, and the last one before it another one."""
        key = _id_of(chunk)
        return key is not None and self._last_id is not None and key != self._last_id

    def _lines_before(self, text: Text) -> int:
        """Return how many lines lead from the last chunk to this one. Readers of text leave out those between them."""
        last = self.lines[-1].text
        return text.place(0).line - last.place(len(last.data)).line

    def streams(self, file: str, number: int, bytes_read: int) -> list[FoundOnLine]:
        """Return an exchange for each stream in the lines. ``number`` is the number of the first one."""
        found = self._by_id() or [
            self.lines[start:end] for start, end in pairwise([*self._starts, len(self.lines)]) if start < end
        ]
        return [_stream(lines, file, number + position, bytes_read) for position, lines in enumerate(found)]

    def _by_id(self) -> list[list[_Line]]:
        """Return the lines of each stream, or nothing if the lines are not of several streams at once.

        An end has no id. It is that of the first stream whose last chunk it stands behind.
        """
        beginnings = {_id_of(line.chunk) for line in self.lines if names_role(line.chunk)} if self._comes_back else ()
        if len(beginnings) < 2:
            return []
        streams: dict[str, list[_Line]] = {}
        finished: set[str] = set()
        without_end: deque[str] = deque()
        last = {_id_of(line.chunk): number for number, line in enumerate(self.lines)}
        key = next(filter(None, (_id_of(line.chunk) for line in self.lines)), "")
        for number, line in enumerate(self.lines):
            if line.text.data.strip() == _DONE and without_end:
                streams[without_end.popleft()].append(line)
                continue
            key = _id_of(line.chunk) or key
            streams.setdefault(key, []).append(line)
            if _finishes(line):
                finished.add(key)
            if number == last.get(key) and key in finished:
                without_end.append(key)
        return list(streams.values())


def _stream(lines: list[_Line], file: str, number: int, bytes_read: int) -> FoundOnLine:
    first = lines[0]
    body: Stream | Payload
    if len(lines) == 1 and not (names_role(first.chunk) and _finishes(first)):
        body = Payload("chunk", first.chunk, first.text, (), first.sound)
    else:
        body = stream_of_lines(
            [line.text for line in lines], [line.chunk for line in lines], [line.sound for line in lines]
        )
    is_logged = any(line.is_logged for line in lines)
    found = Exchange(file=file, number=number, text=first.text, response=body, dumped=is_logged)
    return FoundOnLine(found, first.text, first.record, True, bytes_read)


def _lines_to_next(text: Text) -> int:
    """Return how many lines lead from a chunk to the next one of its stream, at most, if no other lines stand between.

    Blank lines are no other lines, but what a log writes before a chunk stands on a line with each of them.
    """
    line = text.whole().data
    before = line[: max(0, line.find(b"{"))].strip()
    return _FROM_EVENT_TO_EVENT if b"data:" in before else 1 if before else 2


def _id_of_answer(answer: Response | None) -> str | None:
    """Return the id of a completion or of the first event of a stream, or ``None`` without one."""
    if isinstance(answer, Stream):
        return _id_of(answer.values[0]) if answer.values else None
    return _id_of(answer.value) if isinstance(answer, Payload) else None


def _id_of(chunk: object) -> str | None:
    """Return the id of a chunk, or ``None`` if it has none that tells streams apart."""
    found = chunk.get("id") if isinstance(chunk, dict) else None
    return found if isinstance(found, str) and found else None


def _finishes(line: _Line) -> bool:
    """Return whether a line ends a stream."""
    if not isinstance(line.chunk, dict):
        return line.text.data.strip() == _DONE
    return has_finish_reason(line.chunk) or is_error(line.chunk) or is_whole_completion(line.chunk)
