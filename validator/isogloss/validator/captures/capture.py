"""A capture as formats read it: its head to recognise the format, then the whole or line by line. Keys are masked."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import wraps
from io import SEEK_END, BytesIO
from itertools import chain, islice
from typing import BinaryIO, Concatenate, ParamSpec, Protocol, TypeAlias, cast

from isogloss.validator.captures.limits import LARGEST_DOCUMENT, Budget, TooLarge, Unreadable
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.decode import Decoded, decode
from isogloss.validator.exchange import Exchange, Kind, Skipped
from isogloss.validator.searching import holds_any
from isogloss.validator.secrets import mask, mask_text
from isogloss.validator.text import SegmentPairs, Text

__all__ = [
    "BLANK", "BYTE_ORDER_MARK", "FURTHEST", "MARKUP", "MOST_BETWEEN_CHUNKS", "PAGES", "Beside", "Blocks", "Capture",
    "Readable", "made_of", "read_fully", "skip_unreadable", "substituted", "unpacked", "without",
]  # fmt: skip

_P = ParamSpec("_P")

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANK = BYTE_ORDER_MARK + b" \t\r\n"
"""The bytes that may precede a text: white space, and a byte order mark (several, if files were joined)."""
_OBJECT = rb"\{(?![%#:!]|\{[^\"])"
_COMMENTS = rb"(?:(?://[^\n]*+|/\*(?s:.*?)\*/)\s*+)*+"
_ARRAY = rb"\[[\s\[]*+(?:[\]\"'/]|\Z|" + _OBJECT + rb"|-?\d[\d.eE+-]*+\s*+[,\]]|(?:true|false|null)\b)"
_JSON = _COMMENTS + rb"(?:" + _OBJECT + rb"|" + _ARRAY + rb")"
"""How JSON begins, also if a person wrote it with other quotes or with comments, in it or before it.

Templates begin with ``{%``, ``{{`` or ``{#``, pages with ``{:``, ``[!`` or ``[![``, lines of logs with a time in
brackets, and sections of TOML with a word in them.
"""
_PLAIN_OBJECT = (b'{"', b"{\n", b"{\r\n")
"""How most JSON begins. To compare takes a fraction of the time that the expression takes."""
_FIRST_PROPERTY = rb'\{\s*"([^"\\]{1,60})"\s*:\s*([{\[]?)'
_TYPED = b'"$number'
_TYPED_NUMBER = (
    rb'\{\s*"\$number(?:Int|Long|Double)"\s*:\s*'
    rb'"(-?(?:0|[1-9]\d*+)(?:(?!\.0")\.\d++)?(?:[eE][+-]?\d++)?)(?:\.0)?"\s*\}'
)
"""A number with its type in MongoDB's Extended JSON, as ``mongoexport`` can write it: ``{"$numberInt": "5"}``
(mongodb.com/docs/v8.0/reference/mongodb-extended-json, read 2026-11).
"""
_HEAD = 1 << 16
_BEGINNING = 1 << 12
_SMALL = 1 << 13
"""How many bytes are read first: most files in a folder have fewer."""
FURTHEST = 1 << 24
"""How many bytes behind the head are looked at for the first traffic."""
_TRAFFIC = rb"[\"'](?:choices|messages)[\\\"']{1,4}\s{0,3}(?::|=>)|\n[ -]*(?:choices|messages):[ \r]*\n"
"""What stands near the beginning of a payload, also in a string, in a row of CSV, or in YAML."""
_BEFORE_TRAFFIC = 1 << 12
_BEHIND_TRAFFIC = 1 << 14
"""How many bytes before and behind the first word of traffic a format sees to recognise a capture."""
_MOST_SAMPLES = 3
_LONGEST_SAMPLE = 1 << 20
_BLOCK = 1 << 20
_LINES = 1 << 15
"""How many bytes are read and split into lines at once. What is decoded of them takes several times as much, and has to
stay in the cache of a core until it is checked: with twice as many bytes, a cache of 2 MiB has 5 % more misses."""
_GROUP = 32
"""How many lines a group has, at most."""
MARKUP = (".rst", ".adoc", ".asciidoc")
"""The endings of names of pages of reStructuredText and AsciiDoc."""
PAGES = (".md", ".markdown", ".mdx", *MARKUP, ".html", ".htm")
"""The endings of names of pages. A page is read only if the user names the page itself."""

_COLOUR = rb"\x1b\[[\d;]{0,20}[mK]"
_COLOURED = rb"(?m)^[^{}\"\n]{0,200}" + _COLOUR
"""A line with a colour that is in no JSON: there, such a byte may be what a server sent, and is a fault."""
_TEXT_NAME = r"(?i).+\.(?:log|txt|text|out)(?:[._-][\w.-]*+)?+"
"""Names of logs, also of older ones as they are rotated, and of texts."""

MOST_BETWEEN_CHUNKS = 100
"""How many lines without an exchange may stand between two chunks of a stream, in JSON Lines."""


def skip_unreadable(
    read: Callable[Concatenate[Capture, int, _P], Exchange | Skipped],
) -> Callable[Concatenate[Capture, int, _P], Exchange | Skipped]:
    """Make a function that reads one exchange return a :class:`Skipped` where it raises :class:`Unreadable`."""

    @wraps(read)
    def reading(capture: Capture, number: int, /, *args: _P.args, **options: _P.kwargs) -> Exchange | Skipped:
        try:
            return read(capture, number, *args, **options)
        except Unreadable as error:
            return error.skipped(capture.name, number)

    return reading


class Readable(Protocol):
    """The part of a binary stream that a capture needs."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, and none only at the end."""


Beside: TypeAlias = Callable[[str], bytes | None]
"""Takes a name and returns the content of the file of that name in the folder of a capture, or below it, or ``None`` if
there is none. Names are paths as :mod:`isogloss.validator.captures.attachments` allows them. Raises
:class:`Unreadable`."""


class Capture:
    """A binary stream, and its name in findings. It is read once, from the front, and need not be seekable.

    Keys in the name are masked. ``kind`` is the kind of the payloads, if the user gave one. If it is ``None``, the
    content of each payload decides. ``depth`` counts the compressed files and archives around the stream. They all
    share ``budget``. ``line`` is the number of the first line, for a part of a file that is read by lines; it becomes
    ``first_line``. ``beside`` returns the files beside the capture. ``mapping`` says where records hold the parts of an
    exchange, if the user gave one.
    """

    def __init__(
        self,
        stream: Readable,
        name: str,
        *,
        kind: Kind | None = None,
        depth: int = 0,
        budget: Budget | None = None,
        line: int = 1,
        beside: Beside | None = None,
        mapping: Mapping | None = None,
    ) -> None:
        self.name = mask_text(name)
        self.kind = kind
        self.beside = beside
        self.mapping = mapping
        self.first_line = line
        self.is_part = False
        """Whether it is a member of an archive, or a part of a text, and no file that somebody can name by itself."""
        self.depth = depth
        self._budget = budget
        self._stream = stream
        self._read_ahead = BytesIO()
        self.head = read_fully(stream, _SMALL)
        if len(self.head) == _SMALL:
            self.head += read_fully(stream, _HEAD - _SMALL)
        self.whole_head = len(self.head) < _HEAD
        """Whether the head is the whole capture."""
        self._head_as_stored = self.head
        self._is_coloured = b"\x1b[" in self.head and re.search(_COLOURED, self.head) is not None
        if self._is_coloured:
            self.head = re.sub(_COLOUR, b"", self.head)
        self.start = self.head.lstrip(BLANK)
        """The head without the bytes that may precede a text."""
        self.beginning = self.start[:_BEGINNING]
        """The first bytes of that, in which formats look for names."""
        self.begins_as_json = self.start.startswith(_PLAIN_OBJECT) or re.match(_JSON, self.start) is not None
        """Whether the capture begins like a JSON object or array. A word in brackets begins neither."""
        self._text: Text | None = None
        self._document: Decoded | None = None

    @property
    def is_called_like_text(self) -> bool:
        """Whether the capture has a name like that of a log or a text, which may be a copy of a terminal."""
        return re.fullmatch(_TEXT_NAME, os.path.basename(self.name)) is not None

    def has_ending(self, endings: str | tuple[str, ...]) -> bool:
        """Return whether the name of the capture ends like this, whatever its case."""
        return self.name.lower().endswith(endings)

    @property
    def is_binary(self) -> bool:
        """Whether a byte zero is among the first bytes, as in no text."""
        return b"\0" in self.head[:1024]

    @property
    def first_property(self) -> tuple[bytes, ...]:
        """Of an object at the start of the capture: the name of the first property, and the bracket of its value."""
        first = re.match(_FIRST_PROPERTY, self.start)
        return first.groups() if first else (b"", b"")

    @property
    def budget(self) -> Budget:
        """The budget that everything packed in the file shares."""
        if self._budget is None:
            self._budget = Budget()
            self._budget.read = len(self._head_as_stored)
        return self._budget

    def file(self) -> BinaryIO | None:
        """Return the stream if it is a seekable file and the capture is all of it, else ``None``."""
        stream = cast("BinaryIO", self._stream)
        seekable = getattr(stream, "seekable", None)
        if seekable is None or not seekable() or stream.tell() != len(self._head_as_stored):
            return None
        if not self.depth:
            self.budget.read = stream.seek(0, SEEK_END)
        return stream

    def inner(self, stream: Readable, name: str | None = None, beside: Beside | None = None) -> Capture:
        """Return the capture of a stream that is packed in this one.

        Without a name of its own, it has the name of this capture and the same files beside it.
        """
        found = Capture(
            stream,
            self.name if name is None else name,
            kind=self.kind,
            depth=self.depth + 1,
            budget=self.budget,
            beside=self.beside if name is None else beside,
            mapping=self.mapping,
        )
        found.is_part = self.is_part or name is not None
        return found

    def part(self, text: Text) -> Capture:
        """Return the capture that a part of the text of this one is by itself, with the places of that part."""
        found = self.inner(BytesIO(text.data))
        found._text = text
        found.is_part = True
        return found

    def blocks(self, size: int = _BLOCK) -> Iterator[bytes]:
        """Yield the head of the capture, and then blocks of at most `size` bytes. Nothing is masked in them."""
        yield self._head_as_stored
        while not self.whole_head and (block := self.read(size)):
            self._count_read(block)
            yield block

    def read(self, size: int, /) -> bytes:
        """Return at most `size` of the bytes behind the head, and none only at the end. Nothing is masked in them."""
        return self._read_ahead.read(size) or self._stream.read(size)

    @property
    def is_longer_than_searched(self) -> bool:
        """Whether more stands behind the bytes that were searched for the first traffic."""
        return self._read_ahead.getbuffer().nbytes > FURTHEST

    def around_traffic(self) -> Iterator[Capture]:
        """Yield short captures of the beginning and of what stands around traffic that the head does not show whole.

        A format may recognise in one of them what it does not recognise in the head.
        """
        if self.whole_head or self.is_binary:
            return
        ahead = read_fully(self._stream, FURTHEST + 1)  # with the last one, it is known whether more follows
        self._read_ahead = BytesIO(ahead)
        data = self.head[self.head.rfind(b"\n") + 1 :] + (re.sub(_COLOUR, b"", ahead) if self._is_coloured else ahead)
        if b"choices" not in data and b"messages" not in data:
            return
        beginning, end = self.beginning[: self.beginning.rfind(b"\n") + 1], 0
        for _ in range(_MOST_SAMPLES):
            traffic = re.compile(_TRAFFIC).search(data, end)
            if traffic is None:
                return
            at = traffic.start()
            start = data.find(b"\n", max(0, at - _BEFORE_TRAFFIC), at) + 1 or data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at) + 1 or len(data)
            sample = beginning + data[start : min(max(at + _BEHIND_TRAFFIC, end), at + _LONGEST_SAMPLE)]
            found = Capture(BytesIO(sample), self.name, kind=self.kind, depth=self.depth, mapping=self.mapping)
            found.head += found.read(_LONGEST_SAMPLE)
            found.whole_head = False
            yield found

    def _count_read(self, block: bytes) -> None:
        if not self.depth:
            self.budget.read += len(block)

    @property
    def text(self) -> Text:
        """The whole capture, with keys masked. Raises :class:`TooLarge`."""
        if self._text is None:
            self._text = self._read_all()
        return self._text

    @property
    def is_read_whole(self) -> bool:
        """Whether the capture was read as one text, which is kept."""
        return self._text is not None

    @property
    def document(self) -> Decoded:
        """The whole capture decoded as one JSON document."""
        if self._document is None:
            self._document = decode(self.text.data)
        return self._document

    def _read_all(self) -> Text:
        data = self._head_as_stored
        if not self.whole_head:
            rest = read_fully(self, LARGEST_DOCUMENT + 1 - len(data))
            self._count_read(rest)
            data += rest
        if len(data) > LARGEST_DOCUMENT:
            raise TooLarge(f"larger than {LARGEST_DOCUMENT >> 20} MiB, which only line-by-line formats (JSONL) may be")
        text = Text(mask(data))
        return _plain(_without_colours(text) if self._is_coloured else text)

    def lines(self) -> Iterator[Text]:
        """Yield each line that is not blank, with its place and without its end. Raises :class:`TooLarge`."""
        return chain.from_iterable(self.groups_of_lines())

    def groups_of_lines(self) -> Iterator[list[Text]]:
        """Yield the same lines in groups of lines that follow each other. Raises :class:`TooLarge`.

        A byte order mark before the first one is left out: a program wrote it that saved the lines, and no server.
        """
        number = self.first_line  # of the next line
        parts, size = [b""], 0  # of the line that is not complete yet
        blocks = self.blocks(_LINES)
        for block in chain([next(blocks).removeprefix(BYTE_ORDER_MARK)], blocks):
            end = block.rfind(b"\n") + 1
            if end:
                number = yield from self._groups_in(b"".join((*parts, memoryview(block)[:end])), number)
                parts, size = [], 0
            parts.append(block[end:])
            size += len(block) - end
            if size > LARGEST_DOCUMENT:
                raise TooLarge(f"line {number} is longer than {LARGEST_DOCUMENT >> 20} MiB")
        yield from self._groups_in(b"".join(parts), number)

    def _groups_in(self, data: bytes, number: int) -> Generator[list[Text], None, int]:
        """Yield the lines of a text that are not blank, in groups, and return the number of the line behind them.

        ``number`` is the number of the first line.
        """
        numbered_lines = enumerate(BytesIO(mask(data)), number)
        is_typed = _has_typed_numbers(data)
        while lines := list(islice(numbered_lines, _GROUP)):
            number = lines[-1][0] + 1
            texts = [Text(line.removesuffix(b"\n"), at) for at, line in lines if not line.isspace()]
            if self._is_coloured:
                texts = list(map(_without_colours, texts))
            yield list(map(_plain, texts)) if is_typed else texts
        return number


def _without_colours(text: Text) -> Text:
    """Return a text without the colours that a program wrote for a terminal."""
    return without(text, [colour.span() for colour in re.finditer(_COLOUR, text.data)])


def _has_typed_numbers(data: bytes) -> bool:
    return data.find(b"$") >= 0 and holds_any(data, _TYPED)  # one byte is found in a fraction of the time


def _plain(text: Text) -> Text:
    """Return a text in which each number that MongoDB wrote with its type, as a string, is a number."""
    if not _has_typed_numbers(text.data):
        return text
    numbers = re.finditer(_TYPED_NUMBER, text.data)
    return without(text, [span for one in numbers for span in ((one.start(), one.start(1)), (one.end(1), one.end()))])


def read_fully(stream: Readable, size: int) -> bytes:
    """Return `size` bytes of a stream, or fewer only at its end. A single read of a pipe can give fewer."""
    parts = []
    while size > 0 and (part := stream.read(min(size, _BLOCK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def without(text: Text, spans: Iterable[tuple[int, int]]) -> Text:
    """Return a text without the parts from each start to each end, in order. Keys that come together are masked."""

    def kept() -> Iterator[tuple[int, bytes]]:
        position = 0
        for start, end in (*spans, (len(text.data), len(text.data))):
            if start > position:
                yield position, text.data[position:start]
            position = max(position, end)

    return made_of(text, kept())


def made_of(text: Text, parts: Iterable[tuple[int, bytes]]) -> Text:
    """Return the text that parts make, each behind its offset in `text`. Keys that come together are masked."""
    pieces: list[bytes] = []
    segments, size = SegmentPairs(), 0
    for offset, piece in parts:
        pieces.append(piece)
        segments.add(size, offset)
        size += len(piece)
    return Text.derived(mask(b"".join(pieces)), text, segments)


def substituted(
    data: bytes,
    pattern: bytes | re.Pattern[bytes],
    replacement: Callable[[re.Match[bytes]], bytes],
    start: int = 0,
    end: int = sys.maxsize,
) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of bytes, from ``start`` to ``end``, with a replacement for each match of a pattern among them.

    Each part comes behind its offset, as :func:`made_of` takes them. Parts between two matches may be empty.
    """
    for match in re.compile(pattern).finditer(data, start, end):
        yield start, data[start : match.start()]
        yield match.start(), replacement(match)
        start = match.end()
    yield start, data[start:end]


def unpacked(data: bytes, text: Text) -> Text:
    """Return bytes that a text was decoded to, with keys masked. All are at the place where the text begins."""
    return Text.fixed(mask(data), text, 0)


class Blocks:
    """A stream that reads from blocks of bytes."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._rest = b""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, and none only at the end."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return b""
            self._rest = block
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken
