"""Find payloads and records in lines of text: those that stand on one line, and those that go on over several.

The latter begin at the end of a line, as in ``body: {``, or are items of a list. They are written with an indentation,
and end in the first line with less of it, or before that line: LangChain4j may indent the last bracket as much as
everything else. All lines may have the same words before the object, except for the digits of a time: those of Docker
Compose (``app-1  | ``), Kubernetes (``2026-11-26T05:00:00Z stdout F ``), GitHub Actions, logcat and concurrently, or
the edge of a box (``║ ``), which loggers for Dart and Java draw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from isogloss.validator.captures.bodies.literals import literal_at, may_hold_literals
from isogloss.validator.captures.bodies.objects import is_label
from isogloss.validator.captures.bodies.reads import ReadsOnLines
from isogloss.validator.captures.bodies.status_lines import with_status_lines
from isogloss.validator.captures.capture import without
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.decode import decode_json
from isogloss.validator.kinds import kind_of
from isogloss.validator.kinds.others import answering_api
from isogloss.validator.text import Text

__all__ = ["WithoutRepetition", "found_in", "groups_in"]

_GROUP = 32
"""How many objects :func:`groups_in` yields at a time."""
_MOST_LINES = 10_000
"""The most lines of an object that is written over several lines."""
_INDENTATION = b" \t"
_ENDS = (b"}", b"},")
"""The last line of an object, by itself or as an item of a list."""
_LONGEST_PREFIX = 200
_BODY = re.compile(rb"""["'](?:messages|choices)\\*["']\s*:\s*\[""")
"""What is in a line with a request or an answer."""
_OF_CHUNKS = b"delta"
_NO_WORDS = (b"", b"data:")
_DIGITS = re.compile(rb"\d+")
_NUMBERED = re.compile(rb"[\w-]*\d[\w-]*")
"""A number, an id, or a part of a time."""


def groups_in(
    lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]], holds_exchange: Callable[[Node], bool]
) -> Iterator[list[Text]]:
    """Yield the texts that :func:`found_in` yields, some at a time."""
    found = found_in(lines, on_line, holds_exchange)
    return iter(lambda: list(islice(found, _GROUP)), [])


def found_in(
    lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]], holds_exchange: Callable[[Node], bool]
) -> Iterator[Text]:
    """Yield the texts of objects: those that ``on_line`` finds, and those over several lines.

    Objects over several lines are payloads, answers of other APIs, or hold an exchange, which ``holds_exchange``
    decides. Other lines are read one by one. What a program logged twice is read once.
    """
    reads = ReadsOnLines(WithoutRepetition(on_line))
    return chain(_objects(with_status_lines(lines), reads, holds_exchange), reads.rest())


class WithoutRepetition:
    """Finds what ``on_line`` finds in a line, unless the line is the entry of a log before it, written once more.

    In Python, each handler of a logger and of the loggers around it writes an entry, with the same words before it or
    with others. Words that differ in their numbers and ids belong to another entry. Chunks and errors may be repeated.
    """

    def __init__(self, on_line: Callable[[Text], Iterable[Text]]) -> None:
        self._on_line = on_line
        self._words = self._body = b""

    def __call__(self, line: Text) -> Iterable[Text]:
        """Return what ``on_line`` finds in a line, or nothing."""
        if _BODY.search(line.data) is None:
            return self._on_line(line)
        words, brace, body = line.data.partition(b"{")
        is_chunk = _OF_CHUNKS in body
        if brace and body == self._body and (_differ if is_chunk else _may_be_one_entry)(words, self._words):
            return ()
        self._words, self._body = words, body
        return self._on_line(line)


def _may_be_one_entry(words: bytes, other: bytes) -> bool:
    """Return whether the words before two bodies are the same, or differ in more than numbers and ids."""
    return words == other or _differ(words, other)


def _differ(words: bytes, other: bytes) -> bool:
    """Return whether there are words before a body, and they differ from others in more than numbers and ids."""
    return words.strip() not in _NO_WORDS and _NUMBERED.sub(b"0", words) != _NUMBERED.sub(b"0", other)


def _objects(
    lines: Iterable[Text], on_line: Callable[[Text], Iterable[Text]], holds_exchange: Callable[[Node], bool]
) -> Iterator[Text]:
    """Yield the texts of objects over several lines. ``on_line`` reads all other lines."""
    begun: _OpenObject | None = None
    for line in lines:
        if begun is not None and not begun.goes_on_with(line):
            yield from begun.payload_before(line) or chain.from_iterable(map(on_line, begun.lines))
            begun = None
        if begun is not None:
            begun.lines.append(line)
        elif line.data.rstrip().endswith(b"{"):
            begun = _OpenObject(line, holds_exchange) if _begins_object(line) else None
        else:
            yield from on_line(line)
    if begun is not None:
        yield from begun.payload(begun.lines) or chain.from_iterable(map(on_line, begun.lines))


def _begins_object(line: Text) -> bool:
    """Return whether only a label stands before the ``{`` at the end of a line."""
    return is_label(line.data.rstrip()[:-1].lstrip(_INDENTATION + b"-"))


class _OpenObject:
    """An object over several lines whose end has not come yet: its lines so far."""

    def __init__(self, line: Text, holds_exchange: Callable[[Node], bool]) -> None:
        self.lines = [line]
        self._holds_exchange = holds_exchange
        self._prefix: re.Pattern[bytes] | None = None  # what stands at the beginning of each line, before the object
        self._indentation = 1

    def goes_on_with(self, line: Text) -> bool:
        """Return whether a line follows the last one, and is indented at least as far as the second line."""
        if line.line != self.lines[-1].line + 1 or len(self.lines) >= _MOST_LINES:
            return False
        if len(self.lines) == 1:
            self._prefix = _common_prefix(self.lines[0].data, line.data)
        start = self._start(line)
        indentation = len(line.data) - start - len(line.data[start:].lstrip(_INDENTATION))
        if len(self.lines) == 1:
            self._indentation = max(1, indentation)
        return start >= 0 and indentation >= self._indentation

    def payload_before(self, line: Text) -> tuple[Text, ...]:
        """Return the same as :meth:`payload`, given the first line that is not inside the object.

        The object ends with that line if it is a closing bracket, and before it otherwise.
        """
        start = self._start(line)
        is_end = start >= 0 and line.data[start:].strip() in _ENDS
        return self.payload([*self.lines, line] if is_end else self.lines)

    def payload(self, lines: list[Text]) -> tuple[Text, ...]:
        """Return the text of the object that is written over these lines, or nothing if it is none of traffic."""
        first, last = lines[0], lines[-1]
        if last.data[max(0, self._start(last)) :].strip() not in _ENDS:
            return ()
        if last.line - first.line + 1 != len(lines):
            return ()  # a blank line is missing, so places would be wrong
        start = first.data.rindex(b"{")
        data = b"\n".join([first.data[start:], *(line.data for line in lines[1:])]).rstrip().removesuffix(b",")
        text = Text(data, *first.place(start))
        text = text if self._prefix is None else without(text, self._prefixes(len(first.data) - start, lines))
        decoded = decode_json(text.data)
        if decoded is None and may_hold_literals(text.data):
            literal, _ = literal_at(text, 0)
            if literal is not None:
                text, decoded = literal, decode_json(literal.data)
        if decoded is None or not isinstance(decoded.value, dict):
            return ()
        is_traffic = (
            kind_of(decoded.value) is not None
            or self._holds_exchange(Document(text, decoded).root)
            or answering_api(decoded.value) is not None
        )
        return (text,) if is_traffic else ()

    def _start(self, line: Text) -> int:
        """Return where the object goes on in a line, or -1 if the line does not begin like the others."""
        if self._prefix is None:
            return 0
        match = self._prefix.match(line.data)
        return match.end() if match else -1

    def _prefixes(self, size: int, lines: list[Text]) -> Iterator[tuple[int, int]]:
        """Yield the start and the end of each prefix in the joined lines. ``size`` is the length of the first line."""
        for line in lines[1:]:
            yield size + 1, size + 1 + self._start(line)
            size += 1 + len(line.data)


def _common_prefix(first: bytes, second: bytes) -> re.Pattern[bytes] | None:
    """Return an expression for the beginning that two lines share, whatever its digits are, or ``None`` without one."""
    if second.startswith((b" ", b"\t")):
        return None
    form, other = (_DIGITS.sub(b"0", line[:_LONGEST_PREFIX]) for line in (first, second))
    size = next((at for at, (one, two) in enumerate(zip(form, other, strict=False)) if one != two), len(form))
    return re.compile(re.escape(form[: min(size, len(other))]).replace(b"0", rb"\d+")) if size else None
