"""Read lines that hold a payload or an exchange record each. Lines of chunks that follow each other are one stream.

So are lines of chunks with the same id, if few lines stand between them, and none of these holds an exchange.

Indented documents that follow each other are read as such lines are. A record may also hold a line of a log as a
string, as Docker's ``json-file`` and the exports of Google Cloud Logging and CloudWatch write them; a payload in this
line is read then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from msgspec.structs import replace

from isogloss.validator.captures.bodies.objects import objects_in, payload_on_line
from isogloss.validator.captures.bodies.wrapped import event_in
from isogloss.validator.captures.capture import MOST_SKIPPED, Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.structures.objects.halves import is_of_log
from isogloss.validator.captures.structures.objects.mapped import fits
from isogloss.validator.captures.structures.values import answer_alone, exchanges
from isogloss.validator.captures.texts.line_streams import LineStreams
from isogloss.validator.captures.texts.split_pairs import OnLine, are_lines_related, unread_half, with_pairs
from isogloss.validator.decode import Decoded, decode, decode_all, decode_json
from isogloss.validator.exchange import Exchange, Kind, Skipped, Why
from isogloss.validator.kinds import kind_of, why_no_payload
from isogloss.validator.text import Text

__all__ = ["documents_in", "exchanges_of_lines", "holds_exchange", "logged_payloads", "may_be_divided", "record_in"]

_SHORT = 64
"""A line with at least this many bytes is not remembered: to look it up takes long."""
_MOST_REMEMBERED = 1024
_LINE_NAMES = ("log", "message", "msg", "textPayload", "line", "@message", "short_message", "_raw", "MESSAGE")
_WITHIN = ("result", "_source", "record")
"""Properties that hold the record, in exports of Splunk and Elasticsearch and in what Loguru writes."""
_NAMES = (*_LINE_NAMES, *_WITHIN)
_OF_TRAFFIC = rb"choices|messages|\"error\"|\[DONE\]"
"""What may be traffic in a record, or belong to what is on the lines before it."""
_END_OF_INDENTED = rb"(?m)^(?:[}\]]|\{[^\n]*\}|\[[^\n]*\])[ \t]*\r?\n\s*+(?=[{\[])"
"""The last line of an indented document, or a document on one line, that another one follows."""
_LINE = rb"\S[^\r\n]*"
_BEGINS_EVENT = (b"{", b"[", b"data:")


def documents_in(text: Text) -> list[Text]:
    """Return the documents of a text that holds several: one on each line, or indented, as ``jq`` writes them.

    All of them must be objects or arrays, perhaps with a key twice. For any other text, the result is empty.
    """
    ends = [match.end() for match in re.finditer(_END_OF_INDENTED, text.data)]
    if ends:
        documents = [text.slice(start, end) for start, end in pairwise([0, *ends, len(text.data)])]
    else:
        documents = [text.slice(*match.span()) for match in re.finditer(_LINE, text.data)]
    return documents if len(documents) > 1 and all(map(_is_container, documents)) else []


def _is_container(text: Text) -> bool:
    return text.data.lstrip()[:1] in (b"{", b"[") and decode_json(text.data) is not None


def exchanges_of_lines(
    capture: Capture, groups: Iterable[list[Text]], number: int = 0, *, are_logged: bool = False
) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in lines of JSON, a line at a time. The lines come in groups, which are decoded together.

    ``number`` is the number of the first exchange. ``are_logged`` says that :func:`logged_payloads` gave the lines.
    Requests and answers on lines of their own are joined where it is certain that they belong together.
    """
    return with_pairs(capture, _found_on_lines(capture, groups, number, are_logged=are_logged))


def may_be_divided(capture: Capture) -> bool:
    """Return whether a capture of JSON Lines may be read in parts.

    A request and its answer may stand on lines of their own, and so may a span of a trace and one that repeats it. The
    first lines are read to see whether they may.
    """
    return not are_lines_related(capture, _found_on_lines(capture, capture.groups_of_lines(), 0, are_logged=False))


def _found_on_lines(
    capture: Capture, groups: Iterable[list[Text]], number: int, *, are_logged: bool
) -> Iterator[OnLine]:
    """Yield what each line holds. Of a stream, this is known behind its last line."""
    chunks = LineStreams()
    known = _KnownLines()
    bytes_read = 0
    for line, record, sound in chain.from_iterable(map(_decode_lines, groups)):
        bytes_read += len(line.data) + 1
        line, record = record_in(capture, line, record, sound=sound)
        content = _content_of(capture, line, record, chunks.name, sound=sound, are_logged=are_logged)
        text, sound = content.text, content.sound
        is_event = _is_event(chunks, content)
        why = None if is_event else known.why(text.data)
        if chunks.lines and _are_over(capture, chunks, content, is_event=is_event, is_known=why is not None):
            streams = chunks.streams(capture.name, number, bytes_read)
            yield from streams
            number += len(streams)
            chunks = LineStreams()
        if is_event:
            _add_chunks(chunks, content, record)
        elif why is not None:
            if known.is_reported():
                yield OnLine(Skipped(file=capture.name, number=number, why=why), text, record, sound, bytes_read)
            number += 1
        else:
            first_number = number
            for found in _exchanges_in(capture, number, content):
                yield OnLine(found, text, record, sound, bytes_read)
                number += found.parts if isinstance(found, Skipped) else 1
            if sound and number == first_number + 1 and isinstance(found, Skipped):
                known.add(text.data, found.why)
    if known.unreported:
        rest = Skipped(file=capture.name, number=number, why=why_no_payload(None), parts=known.unreported)
        yield OnLine(rest, Text(b""), None, True, bytes_read)
    if chunks.lines:
        yield from chunks.streams(capture.name, number, bytes_read)


class _KnownLines:
    """Why lines are skipped: often many lines are equal. The first of them are reported, and the others counted."""

    def __init__(self) -> None:
        self._whys: dict[bytes, Why] = {}
        self._found = 0

    def why(self, line: bytes) -> Why | None:
        """Return why an equal line was skipped, or ``None`` if it was not, or is long."""
        return self._whys.get(line) if len(line) < _SHORT else None

    def add(self, line: bytes, why: Why) -> None:
        """Remember why a line is skipped, if it is short."""
        if len(line) < _SHORT and len(self._whys) < _MOST_REMEMBERED:
            self._whys[line] = why

    def is_reported(self) -> bool:
        """Count a line that was found, and return whether it is reported by itself."""
        self._found += 1
        return self._found <= MOST_SKIPPED

    @property
    def unreported(self) -> int:
        """How many of the lines that were found are only counted."""
        return max(0, self._found - MOST_SKIPPED)


class _LineContent(NamedTuple):
    """What a line holds, in a string or in another property: its text and its value, and how it is to be read.

    ``name`` is the name of the property that holds a chunk. ``more`` are the chunks behind the first one in a string.
    """

    text: Text
    value: object
    sound: bool
    kind: Kind | None
    is_logged: bool
    name: str | None = None
    more: Sequence[Text] = ()

    @property
    def part(self) -> Node:
        """The value as a part of a document."""
        return _part(self.text, self.value, sound=self.sound)


def _content_of(
    capture: Capture, line: Text, record: object, name: str | None, *, sound: bool, are_logged: bool
) -> _LineContent:
    """Return what a line holds: a payload, the payload in an object around it, or another object as it is.

    ``name`` is the name of the property that held the chunk on the line before. A chunk that the mapping of the user
    fits is a record.
    """
    kind = capture.kind or kind_of(record)
    if kind is not None:
        content = _LineContent(line, record, sound, kind, are_logged)
    else:
        content = _content_of_object(capture, line, record, name, sound=sound, are_logged=are_logged)
    if capture.mapping is not None and content.kind == "chunk" and capture.kind is None:
        return content._replace(kind=None) if fits(content.part, capture.mapping) else content
    return content


def _content_of_object(
    capture: Capture, line: Text, value: object, name: str | None, *, sound: bool, are_logged: bool
) -> _LineContent:
    """Return what stands in an object that is no payload: a line of a log, or an event; else the object as it is."""
    kind: Kind | None = None
    more: Sequence[Text] = ()
    is_logged = are_logged
    if not are_logged and (logged := logged_payloads(capture, line, value, sound=sound)):
        line, more, is_logged = logged[0], logged[1:], True
        value, sound = decode(line.data)
        kind = kind_of(value)
    if kind is None and (event := _event(capture, line, value, name, sound=sound)) is not None:
        event_name, line = event
        value, sound = decode(line.data)
        return _LineContent(line, value, sound, "chunk", is_logged, event_name, more)
    return _LineContent(line, value, sound, kind, is_logged, None, more)


def _add_chunks(chunks: LineStreams, content: _LineContent, record: object) -> None:
    """Add the chunk that a line holds, and those behind it in the same string."""
    text, value, sound, is_logged = content.text, content.value, content.sound, content.is_logged
    chunks.add(text, value, sound=sound, is_logged=is_logged, record=record)
    for text in content.more:
        chunk = decode(text.data)
        chunks.add(text, chunk.value, sound=chunk.sound, is_logged=is_logged, record=record)
    chunks.name = content.name


def _is_event(chunks: LineStreams, content: _LineContent) -> bool:
    """Return whether a line belongs to the streams on the lines before it, as one does that is damaged.

    Other lines without JSON are those of a program.
    """
    if chunks.have_event(content.kind, content.value):
        return True
    is_damaged = not content.sound and not isinstance(content.value, dict)
    return bool(chunks.lines) and is_damaged and content.text.data.lstrip().startswith(_BEGINS_EVENT)


def _are_over(capture: Capture, chunks: LineStreams, content: _LineContent, *, is_event: bool, is_known: bool) -> bool:
    """Return whether the streams on the lines before a line end there.

    A line that is known to be skipped ends none, unless very many lines without a chunk stand behind the last chunk.
    """
    if is_event:
        return chunks.are_over_before(content.text, content.value)
    return chunks.are_over_after_other_line() or (not is_known and _ends_streams(capture, chunks, content))


def _ends_streams(capture: Capture, chunks: LineStreams, content: _LineContent) -> bool:
    """Return whether a line holds an exchange, so that streams end before it.

    A request does not end streams that may go on: a server got it while it answered others.
    """
    found = [one for one in exchanges(capture, 0, content.part, capture.kind) if isinstance(one, Exchange)]
    if not found:
        half = unread_half(capture, content.text, content.value, sound=content.sound)
        found = [half] if half is not None else []
    return bool(found) and not (chunks.may_go_on() and all(one.response is None for one in found))


def _exchanges_in(capture: Capture, number: int, content: _LineContent) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges that a line holds, if it is no event of a stream."""
    text, value, sound = content.text, content.value, content.sound
    if (answer := answer_alone(capture, number, text, content.kind, value, sound)) is not None:
        found: Iterable[Exchange | Skipped] = [answer]
    else:
        found = exchanges(capture, number, content.part, capture.kind)
    if not content.is_logged:
        yield from found
        return
    for one in found:
        yield replace(one, dumped=True) if isinstance(one, Exchange) else one


def _event(capture: Capture, line: Text, value: object, name: str | None, *, sound: bool) -> tuple[str, Text] | None:
    """Return the event that the object on a line holds, with the name of its property, or ``None`` for another line."""
    if capture.mapping is not None or not isinstance(value, dict):
        return None
    if isinstance(value.get("request"), dict) or isinstance(value.get("response"), dict):
        return None  # a record; most of these lines are found here, faster than below
    if b"choices" not in line.data and (name is None or b"[DONE]" not in line.data):
        return None
    return event_in(_part(line, value, sound=sound), name)


def record_in(capture: Capture, line: Text, record: object, *, sound: bool) -> tuple[Text, object]:
    """Return the record that is a line of a log in another record, with its text; or else the record as it is.

    Programs in containers log JSON, of which each line is a string in what Docker or a collector of logs writes.
    """
    text = _line_in(line, record, sound=sound) if capture.kind is None and capture.mapping is None else None
    if text is None or not text.data.startswith(b"{") or re.search(_OF_TRAFFIC, text.data) is None:
        return line, record
    decoded = decode_json(text.data)
    if decoded is None or kind_of(decoded.value) is not None:
        return line, record
    if holds_exchange(capture, _part(line, record, sound=sound)):
        return line, record
    return record_in(capture, text, decoded.value, sound=True)


def _line_in(line: Text, value: object, *, sound: bool) -> Text | None:
    """Return the line of a log that a record holds as a string, or ``None``.

    The record has a time or a level. It is the value, or a property of it.
    """
    if not isinstance(value, dict) or value.keys().isdisjoint(_NAMES):
        return None
    within = next((name for name in _WITHIN if isinstance(value.get(name), dict)), None)
    inner = value[within] if within is not None else value
    if inner.keys().isdisjoint(_LINE_NAMES) or not is_of_log(inner.keys()):
        return None
    record = _part(line, value, sound=sound)
    return (record.get(within) if within is not None else record).get(*_LINE_NAMES).text()


def logged_payloads(capture: Capture, line: Text, value: object, *, sound: bool) -> list[Text]:
    """Return the text of the payload in a line of a log that a record holds as a string, or nothing if it holds none.

    The record cannot be read by itself. If the payload is a chunk, the chunks behind it follow: the string may hold a
    whole stream.
    """
    text = _line_in(line, value, sound=sound)
    if text is None:
        return []
    payloads = iter(payload_on_line(text) or _payloads_in(capture, text))
    first = next(payloads, None)
    if first is None or holds_exchange(capture, _part(line, value, sound=sound)):
        return []
    return [first, *takewhile(_is_chunk, payloads)] if _is_chunk(first) else [first]


def _is_chunk(text: Text) -> bool:
    decoded = decode_json(text.data)
    return decoded is not None and kind_of(decoded.value) == "chunk"


def holds_exchange(capture: Capture, part: Node) -> bool:
    """Return whether an object is a record that holds an exchange.

    No object is a record if the user names the kind of all payloads.
    """
    return capture.kind is None and any(isinstance(found, Exchange) for found in exchanges(capture, 0, part))


def _payloads_in(capture: Capture, text: Text) -> Iterator[Text]:
    """Yield the payloads of Chat Completions, and the records that hold an exchange, anywhere in a line of a log."""
    if b"choices" in text.data or b"messages" in text.data:
        for found in objects_in(text):
            decoded = decode_json(found.data)
            if decoded is None:
                continue
            if kind_of(decoded.value) is not None or holds_exchange(capture, Document(found, decoded).root):
                yield found


def _part(line: Text, value: object, *, sound: bool) -> Node:
    return Document(line, Decoded(value, sound)).root


def _decode_lines(lines: list[Text]) -> Iterable[tuple[Text, object, bool]]:
    """Return each line with its value, and whether it is sound."""
    return zip(lines, *decode_all([line.data for line in lines]), strict=True)
