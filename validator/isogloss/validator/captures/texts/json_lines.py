"""Read lines that hold a payload or an exchange record each. Lines of chunks that follow each other are one stream.

So are lines of chunks with the same id, if few lines stand between them, and none of these holds an exchange.

Indented documents that follow each other are read as such lines are. A record may also hold a line of a log as a
string, as Docker's ``json-file`` and the exports of Google Cloud Logging and CloudWatch write them; a payload in this
line is read then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, starmap

from msgspec import Struct
from msgspec.structs import replace

from isogloss.validator.captures.bodies.wrapped import event_in
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node, adjoining_records
from isogloss.validator.captures.limits import MOST_SKIPPED
from isogloss.validator.captures.structures.alone import answer_alone
from isogloss.validator.captures.structures.objects.mapped import fits
from isogloss.validator.captures.structures.values import exchanges
from isogloss.validator.captures.texts.line_pieces import Pieces
from isogloss.validator.captures.texts.line_streams import LineStreams
from isogloss.validator.captures.texts.logged_lines import is_plain_line, logged_in
from isogloss.validator.captures.texts.split_pairs import (
    FoundOnLine,
    are_lines_related,
    may_hold_half,
    unread_half,
    with_pairs,
)
from isogloss.validator.decode import decode, decode_all
from isogloss.validator.exchange import Cause, Exchange, Kind, Skipped, Why, as_dumped
from isogloss.validator.kinds import kind_of, why_no_payload
from isogloss.validator.text import Text

__all__ = ["exchanges_of_lines", "exchanges_of_printed_lines", "may_be_divided"]

_SHORT = 64
"""A line with at least this many bytes is not remembered: to look it up takes long."""
_MOST_REMEMBERED = 1024
_NOTHING = why_no_payload(None)
_DONE_BEFORE_RECORD = b"[DONE]{"
_BEGINS_EVENT = (b"{", b"[", b"data:")


def exchanges_of_lines(
    capture: Capture, groups: Iterable[list[Text]], number: int = 0, *, is_log: bool | None = None
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in lines of JSON, a line at a time. The lines come in groups, which are decoded together.

    ``number`` is the number of the first exchange. ``is_log`` says whether the lines are the records of a log; if it is
    not given, the head of the capture decides. Requests and answers on lines of their own are joined where it is
    certain that they belong together.
    """
    return with_pairs(capture, _found_on_lines(capture, groups, number, is_log))


def exchanges_of_printed_lines(
    capture: Capture, groups: Iterable[list[Text]], number: int = 0
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of payloads that a program printed, as :func:`exchanges_of_lines`, without faulty ones.

    Rules about the bytes that were sent are not applied.
    """
    for one in exchanges_of_lines(capture, groups, number):
        if isinstance(one, Exchange):
            yield as_dumped(one)
        elif one.why.cause is not Cause.FAULTY:
            yield one


def may_be_divided(capture: Capture) -> bool:
    """Return whether a capture of JSON Lines may be read in parts.

    A request and its answer may stand on lines of their own, and so may a span of a trace and one that repeats it. The
    first lines are read to see whether they may.
    """
    if _begins_as_log(capture):  # no part of a log shows whether the log holds anything else
        return False
    return not are_lines_related(capture, _found_on_lines(capture, capture.groups_of_lines(), 0))


def _begins_as_log(capture: Capture) -> bool:
    """Return whether the head of a capture has a line of a log without a payload, in a record on a line of its own."""
    lines = capture.head.split(b"\n")[:-1] if capture.first_line == 1 else ()
    return any(is_plain_line(decode(line).value) for line in lines)


def _found_on_lines(
    capture: Capture, groups: Iterable[list[Text]], number: int, is_log: bool | None = None
) -> Iterator[FoundOnLine]:
    """Yield what each line holds. Of a stream, this is known behind its last line.

    In a log, lines without a payload are reported only if it holds nothing else.
    """
    chunks = LineStreams()
    known = _KnownLines()
    pieces = Pieces()
    before: FoundOnLine | None = None
    bytes_read = 0
    holds_log = cache(lambda: _begins_as_log(capture) if is_log is None else is_log)
    plain_lines, has_others = 0, False
    for line, value, is_sound in chain.from_iterable(map(_decode_lines, groups)):
        bytes_read += len(line.data) + 1
        for content in _contents_of(capture, line, value, chunks.name, pieces, sound=is_sound):
            text, sound, record = content.text, content.sound, content.record
            is_event = _is_event(chunks, content) if chunks.lines else content.kind == "chunk"
            why = known.lines.get(text.data) if len(text.data) < _SHORT and not is_event else None
            if chunks.lines and _are_over(capture, chunks, content, is_event=is_event, is_known=why is not None):
                if not is_event:
                    _add_rest(chunks, pieces)
                streams = chunks.streams(capture.name, number, bytes_read)
                yield from streams
                number += len(streams)
                chunks = LineStreams()
            if is_event:
                chunks.add(text, content.value, sound=sound, is_logged=content.is_logged, record=record)
                chunks.name = content.name
                has_others, before = True, None
            elif why is not None:
                before = FoundOnLine(
                    Skipped(file=capture.name, number=number, why=why), text, record, sound, bytes_read
                )
                if known.is_reported():
                    yield before
                number += 1
            else:
                first_number = number
                for found in _exchanges_in(capture, number, content):
                    if content.kind is None and _is_plain_line(found, content) and holds_log():
                        plain_lines += 1
                        continue
                    has_others = True
                    one = FoundOnLine(found, text, record, sound, bytes_read)
                    yield one if before is None else _without_refusal(before, one)
                    number += found.parts
                before = None
                if number > first_number and isinstance(found, Skipped):
                    before = one
                    if sound and number == first_number + 1:
                        known.add(text.data, found.why)
    _add_rest(chunks, pieces)
    for parts in _unreported_parts(known, pieces, 0 if has_others else plain_lines):
        rest = Skipped(file=capture.name, number=number, why=why_no_payload(None), parts=parts)
        yield FoundOnLine(rest, Text(b""), None, True, bytes_read)
    yield from chunks.streams(capture.name, number, bytes_read)


def _is_plain_line(found: Exchange | Skipped, content: _LineContent) -> bool:
    """Return whether nothing was found on the line of a log, and no half of an exchange can be in it."""
    is_nothing = isinstance(found, Skipped) and found.why == _NOTHING
    return is_nothing and is_plain_line(content.value) and not may_hold_half(content.text.data)


def _unreported_parts(known: _KnownLines, pieces: Pieces, plain_lines: int) -> list[int]:
    """Count what was skipped and is not reported yet: one for each of the first pieces, and then all the others."""
    first = min(pieces.unread, MOST_SKIPPED)
    others = known.unreported + pieces.unread - first + plain_lines
    return [*[1] * first, *([others] if others else [])]


def _without_refusal(before: FoundOnLine, found: FoundOnLine) -> FoundOnLine:
    """Return what a line holds. An error that answers a request of another API, on the line before, is skipped."""
    if not isinstance(before.found, Skipped) or b'"error' not in found.line.data:
        return found
    # in most logs, nothing that is skipped stands before an error
    from isogloss.validator.captures.texts.other_requests import why_refused_elsewhere

    lines = (before.line, before.value), (found.line, found.value)
    why = why_refused_elsewhere(before.found.why, lines[0], found.found, lines[1])
    if why is None:
        return found
    skipped = found.found
    if isinstance(skipped, Exchange):
        skipped = Skipped(file=skipped.file, number=skipped.number, why=why)
    return replace(found, found=skipped, value=None)


class _KnownLines:
    """Why lines are skipped: often many lines are equal. The first of them are reported, and the others counted.

    ``lines`` maps short lines to why they are skipped.
    """

    def __init__(self) -> None:
        self.lines: dict[bytes, Why] = {}
        self._found = 0

    def add(self, line: bytes, why: Why) -> None:
        """Remember why a line is skipped, if it is short."""
        if len(line) < _SHORT and len(self.lines) < _MOST_REMEMBERED:
            self.lines[line] = why

    def is_reported(self) -> bool:
        """Count a line that was found, and return whether it is reported by itself."""
        self._found += 1
        return self._found <= MOST_SKIPPED

    @property
    def unreported(self) -> int:
        """How many of the lines that were found are only counted."""
        return max(0, self._found - MOST_SKIPPED)


class _LineContent(Struct, frozen=True, gc=False):
    """What a line holds, in a string or in another property: its text and its value, and how it is to be read.

    ``record`` is the line, or the record that is a string in it. ``name`` is the name of the property that holds a
    chunk.
    """

    text: Text
    value: object
    sound: bool
    kind: Kind | None
    is_logged: bool
    record: object
    name: str | None = None

    @property
    def part(self) -> Node:
        """The value as a part of a document."""
        return Node(Document(self.text, (self.value, self.sound)), self.value, ())


def _contents_of(
    capture: Capture, line: Text, value: object, name: str | None, pieces: Pieces, *, sound: bool
) -> Sequence[_LineContent]:
    """Return what a line holds: what is in the lines of logs that it has as strings, or else what it is itself.

    ``name`` is the name of the property that held the chunk on the line before. ``pieces`` is what the lines before
    hold of an event.
    """
    kind = capture.kind or kind_of(value)
    content = _LineContent(line, value, sound, kind, False, value)
    if _has_body(value) if kind is None else capture.mapping is None:
        return (content,)  # a record or a payload, as most lines are
    logged = logged_in(capture, line, value, sound=sound) if kind is None else ()
    if not logged:
        was_cut = pieces.is_cut
        found = content if was_cut else _content_of(capture, content, name)
        read = _events_of_read(capture, content, name, pieces) if found is content else None
        return (_content_of(capture, content, name) if was_cut else found,) if read is None else read
    contents: list[_LineContent] = []
    for text, is_record in logged:
        inner, inner_sound = decode(text.data)
        if is_record:
            contents += _contents_of(capture, text, inner, name, pieces, sound=inner_sound)
        else:
            payload = _LineContent(text, inner, inner_sound, kind_of(inner), True, value)
            contents.append(_content_of(capture, payload, name))
    return contents


def _events_of_read(
    capture: Capture, content: _LineContent, name: str | None, pieces: Pieces
) -> list[_LineContent] | None:
    """Return the events that a line completes, or ``None`` if it holds nothing that was read of a stream."""
    if capture.mapping is not None or not isinstance(content.value, dict):
        return None
    is_named = name is not None and isinstance(content.value.get(name), str)
    if not pieces.is_cut and not is_named and b"data:" not in content.text.data:
        return None
    events = pieces.events(content.part, name)
    return None if events is None else [_event_of(text, content.record, pieces.name) for text in events]


def _add_rest(chunks: LineStreams, pieces: Pieces) -> None:
    """Add the event that no line completes to the stream whose lines end with it."""
    for event in (_event_of(text, None, pieces.name) for text in pieces.take_rest()):
        if chunks.lines:
            chunks.add(event.text, event.value, sound=event.sound, is_logged=False, record=None)


def _event_of(text: Text, record: object, name: str | None) -> _LineContent:
    value, sound = decode(text.data)
    kind = kind_of(value)
    return _LineContent(text, value, sound, kind if kind in ("error", "completion") else "chunk", False, record, name)


def _has_body(value: object) -> bool:
    """Return whether a value is a record with the body of a request or of a response."""
    return isinstance(value, dict) and (
        isinstance(value.get("request"), dict) or isinstance(value.get("response"), dict)
    )


def _content_of(capture: Capture, content: _LineContent, name: str | None) -> _LineContent:
    """Return the payload in an object around it, and any other content as it is.

    A chunk that the mapping of the user fits is a record.
    """
    if content.kind is None and (event := _event(capture, content, name)) is not None:
        event_name, text = event
        value, sound = decode(text.data)
        content = _LineContent(text, value, sound, "chunk", content.is_logged, content.record, event_name)
    if capture.mapping is not None and content.kind == "chunk" and capture.kind is None:
        return replace(content, kind=None) if fits(content.part, capture.mapping) else content
    return content


def _is_event(chunks: LineStreams, content: _LineContent) -> bool:
    """Return whether a line belongs to the streams on the lines before it, as one does that is damaged.

    Other lines without JSON are those of a program.
    """
    if chunks.have_event(content.kind, content.value):
        return True
    if content.sound:
        return False
    if isinstance(content.value, dict):
        return chunks.have_beginning(content.text)
    return content.text.data.lstrip().startswith(_BEGINS_EVENT)


def _are_over(capture: Capture, chunks: LineStreams, content: _LineContent, *, is_event: bool, is_known: bool) -> bool:
    """Return whether the streams on the lines before a line end there.

    A line that is known to be skipped ends none, unless very many lines without a chunk stand behind the last chunk.
    """
    if is_event:
        return chunks.are_over_before(content.text, content.value)
    return chunks.are_over_after_other_line() or (not is_known and _ends_streams(capture, chunks, content))


def _ends_streams(capture: Capture, chunks: LineStreams, content: _LineContent) -> bool:
    """Return whether a line holds an exchange, so that streams end before it, unless they may go on behind it."""
    found = [one for one in exchanges(capture, 0, content.part, capture.kind) if isinstance(one, Exchange)]
    if not found:
        half = unread_half(capture, content.text, content.value, sound=content.sound)
        found = [half] if half is not None else []
    return bool(found) and not chunks.may_go_on_behind(found)


def _exchanges_in(capture: Capture, number: int, content: _LineContent) -> Iterable[Exchange | Skipped]:
    """Return the exchanges that a line holds, if it is no event of a stream."""
    kind = content.kind
    answer = answer_alone(capture, number, content.text, kind, content.value, content.sound) if kind else None
    found = exchanges(capture, number, content.part, capture.kind) if answer is None else (answer,)
    return map(as_dumped, found) if content.is_logged else found


def _event(capture: Capture, content: _LineContent, name: str | None) -> tuple[str, Text] | None:
    """Return the event that the object on a line holds, with the name of its property, or ``None`` for another line."""
    value, line = content.value, content.text.data
    if capture.mapping is not None or not isinstance(value, dict) or _has_body(value):
        return None
    if b"choices" not in line and (name is None or b"[DONE]" not in line):
        return None
    return event_in(content.part, name)


def _decode_lines(lines: list[Text]) -> Iterable[tuple[Text, object, bool]]:
    """Return each line with its value, and whether it is sound, or each record on a line that holds several."""
    values, sound = decode_all([line.data for line in lines])
    decoded = zip(lines, values, sound, strict=True)
    return decoded if all(sound) else chain.from_iterable(starmap(_decode_records, decoded))


def _decode_records(line: Text, value: object, is_sound: bool) -> Iterable[tuple[Text, object, bool]]:
    """Return each record on a line that holds several, decoded, or the line as it is.

    The next record may stand directly behind the end of a stream.
    """
    if not is_sound and line.data.startswith(_DONE_BEFORE_RECORD):
        end = len(_DONE_BEFORE_RECORD) - 1
        records = [line.slice(0, end), line.slice(end, len(line.data))]
    else:
        records = [] if is_sound else adjoining_records(line)
    return _decode_lines(records) if records else ((line, value, is_sound),)
