"""Find the places of values in a text that is known to be JSON, by walking to the values."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate, islice

from msgspec import Struct

from isogloss.validator.jsontext.spelling import Spelling, segments
from isogloss.validator.jsontext.strings import ignore, read_string
from isogloss.validator.searching import find, holds_any
from isogloss.validator.text import Segments

__all__ = ["Walk"]

_STRING = rb'"[^"]*+"'
_DEEPEST = 12


def _container(levels: int) -> bytes:
    """Return a pattern that reads, in one step, a container nested no deeper than that many levels."""
    inner = b"" if levels == 1 else b"|" + _container(levels - 1)
    return rb"[\[{](?:" + _STRING + rb'[^][{}"]*+|[^][{}"]++' + inner + rb")*+[\]}]"


@cache
def _shallow() -> re.Pattern[bytes]:
    """Compile the pattern of containers. This takes milliseconds, which most runs do not need to spend."""
    return re.compile(_container(_DEEPEST))


_STRINGS = re.compile(_STRING)
_BRACKETS = re.compile(rb"[][{}]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = [0] * 256
_STEPS[0x5B] = _STEPS[0x7B] = 1
_STEPS[0x5D] = _STEPS[0x7D] = -1
_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 10, 1 << 16
_SCALAR_VALUE = _STRING + rb'|[^][{}",: \t\r\n]++'
_GAP = rb"[ \t\r\n,]*+"
_CHILD = re.compile(_GAP + rb'"([^"]*+)"[ \t\r\n]*+:[ \t\r\n]*+(' + _SCALAR_VALUE + rb")?+")
"""A name without its quotes, and the value behind it, unless that is a container."""
_ITEM = re.compile(_GAP + rb"()??(" + _SCALAR_VALUE + rb")?+")
"""The same for an item, which has no name: the first group never matches."""
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?+[ \t\r\n]*+")
_OPENING = (b"{", b"[")
_ESCAPED_BACKSLASH, _ESCAPED_ASCII = re.compile(rb"\\\\"), re.compile(rb"\\u00")
"""These are searched for with regular expressions, which are faster here than ``in``."""

_MANY = 1024
"""How many properties of an object are read before checking whether the wanted one follows at all."""

_MOST_JUMPS = 8
_MOST_SEARCHED = 1 << 16
"""Names are searched for in a whole text at most so often, or in at most so many bytes together, whichever is more.
This is enough for an event or a record, and not for many records.
"""


class _Container(Struct):
    """The part of a container that was read, and where to continue reading.

    Properties by name, or items by number, are kept as the offsets to match them at again: a match takes much memory.
    """

    children: dict[str | int, int]
    position: int


def _value_start(child: re.Match[bytes]) -> int:
    """Return the offset of the value of a property or an item."""
    return child.start(2) if child.start(2) >= 0 else child.end()


class Walk:
    """The places in a JSON text without duplicate keys. Each container is read only as far as needed."""

    __slots__ = (
        "_brackets",
        "_containers",
        "_data",
        "_escaped_keys",
        "_escapes",
        "_jumps_left",
        "_root",
        "_tokens",
        "_tokens_start",
    )

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._escapes = b"\\" in data
        self._escaped_keys: bool | None = None
        self._tokens = data
        self._tokens_start = len(data) if self._escapes else 0
        self._brackets: bytes | None = None
        self._jumps_left = max(_MOST_JUMPS, _MOST_SEARCHED // (len(data) + 1))
        root = _ROOT.match(data)
        self._root = root.end() if root else 0
        self._containers: dict[int, _Container] = {}

    def _tokens_from(self, start: int) -> bytes:
        """Return the text with other bytes for escaped quotes from an offset on, to read strings without escapes."""
        if start < self._tokens_start:
            rest = self._data[start:]
            if _ESCAPED_BACKSLASH.search(rest):
                rest = rest.replace(rb"\\", b"..")
            self._tokens, self._tokens_start = self._data[:start] + rest.replace(rb"\"", b".."), start
        return self._tokens

    def offset(self, pointer: tuple[str | int, ...], *, key: bool = False, known_steps: int = 0) -> int:
        """Return the byte offset of the value at `pointer`, or of its key.

        If the value does not exist, return the offset of the deepest container on the way to it. The values at the
        first ``known_steps`` steps are known to exist.
        """
        key_offset, start, exact = self.find(pointer, known_steps)
        return key_offset if key and exact and key_offset >= 0 else start

    def span(self, pointer: tuple[str | int, ...]) -> tuple[int, int]:
        """Return the offsets of the object or array at `pointer`, and of what is behind it. It must exist."""
        start = self.find(pointer, len(pointer))[1]
        self._tokens_from(start)
        return start, self._end_of(start)

    def string_segments(self, pointer: tuple[str | int, ...]) -> Segments:
        """Return how the UTF-8 of the decoded string at `pointer` maps to the text, in the form for `Text.derived`.

        If there is no string at `pointer`, everything maps to the one `offset`.
        """
        _, start, exact = self.find(pointer)
        is_string = exact and self._data[start : start + 1] == b'"'
        return segments(self._data, start + 1) if is_string else [(0, start)]

    def spelling(self, pointer: tuple[str | int, ...], decoded: bytes) -> Spelling:
        """Return where the characters of the string at `pointer` are written; `decoded` is the decoded string."""
        return Spelling(self._data, self.find(pointer, len(pointer))[1] + 1, decoded, sound=True)

    def find(self, pointer: tuple[str | int, ...], known_steps: int = 0) -> tuple[int, int, bool]:
        """Find the offsets of the key and the value at `pointer`, and tell whether that value exists.

        If it does not, the offsets are those of the last value on the way to it. The offset of the key is negative if
        there is no key. The values at the first ``known_steps`` steps are known to exist.
        """
        depth, key, start = self._jump(pointer, known_steps)
        for step in pointer[depth:]:
            container = self._containers.get(start)
            if container is None:
                container = self._containers[start] = _Container({}, start + 1)
            read = container.children.get(step)
            if read is not None:
                child = (_CHILD if isinstance(step, str) else _ITEM).match(self._tokens, read)
            else:
                child = self._read(container, start, step)
            if child is None:
                return key, start, False
            key, start = child.start(1) - 1, _value_start(child)
        return key, start, True

    def _jump(self, pointer: tuple[str | int, ...], known_steps: int) -> tuple[int, int, int]:
        """Find the value at one of the first ``known_steps`` steps without reading what stands before it.

        Return the number of steps to it, and the offsets of its key and of it, or those of the root if none is found. A
        value is found only if it is surely the right one: the name of its property stands only once in the text, and no
        key can be spelled with escapes. A name in quotes may also be the end of a string behind an escaped quote, but
        then the text holds it twice.
        """
        for depth in range(known_steps, 0, -1):
            step = pointer[depth - 1]
            if self._jumps_left and isinstance(step, str) and step.isascii() and step.isidentifier():
                self._jumps_left -= 1
                name = b'"%b"' % step.encode()
                key = find(self._data, name)
                is_single = key >= 0 and not holds_any(self._data, name, start=key + len(name))
                child = _CHILD.match(self._data, key) if is_single else None
                if child is not None and not self._may_escape_keys():
                    return depth, key, _value_start(child)
        return 0, -1, self._root

    def _may_escape_keys(self) -> bool:
        if self._escaped_keys is None:
            self._escaped_keys = self._escapes and _ESCAPED_ASCII.search(self._data) is not None
        return self._escaped_keys

    def _read(self, container: _Container, start: int, step: str | int) -> re.Match[bytes] | None:
        """Read on in a container up to a property or an item, and return it, or ``None`` if it does not exist."""
        if isinstance(step, str):
            return self._read_object(container, step) if self._data.startswith(b"{", start) else None
        return self._read_array(container, step) if self._data.startswith(b"[", start) else None

    def _read_object(self, container: _Container, name: str) -> re.Match[bytes] | None:
        data, children, position = self._data, container.children, container.position
        tokens = self._tokens_from(position)
        if tokens.startswith(_OPENING, position):  # the last value that was read
            position = self._end_of(position)
        is_checked = False
        while child := _CHILD.match(tokens, position):
            if not is_checked and len(children) >= _MANY:
                is_checked = True
                if self._surely_lacks(name, position):
                    break
            spelled = data[child.start(1) : child.end(1)] if self._escapes else child[1]
            key = spelled.decode() if b"\\" not in spelled else read_string(data, child.start(1), ignore)[0]
            children[key], position = position, child.end()
            if key == name:
                container.position = position
                return child
            if child.lastindex == 1:
                position = self._end_of(position)
        container.position = position
        return None

    def _surely_lacks(self, name: str, start: int) -> bool:
        """Return whether surely no key has this name from an offset on. In a text with escapes, this is never sure."""
        return not self._escapes and self._data.find(b'"%s"' % name.encode(errors="replace"), start) < 0

    def _read_array(self, container: _Container, number: int) -> re.Match[bytes] | None:
        children, position = container.children, container.position
        tokens = self._tokens_from(position)
        while len(children) <= number and (item := _ITEM.match(tokens, position)):
            end = item.end()
            if item.lastindex is None:
                if not tokens.startswith(_OPENING, end):
                    break
                end = self._end_of(end)
            children[len(children)] = position
            container.position = position = end
            if len(children) > number:
                return item
        return None

    def _end_of(self, start: int) -> int:
        """Return the offset behind the container at an offset."""
        if shallow := _shallow().match(self._tokens, start):
            return shallow.end()
        return self._end_of_deep(start)

    def _end_of_deep(self, start: int) -> int:
        """Return the offset behind a container of many levels. Search the text for it block by block."""
        if self._brackets is None:
            self._brackets = _STRINGS.sub(lambda string: b'"' * len(string[0]), self._tokens_from(0))
        data, depth, block, size = self._brackets, 0, start, _FIRST_BLOCK
        while block < len(data):
            brackets = data[block : block + size].translate(None, _NO_BRACKETS)
            depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=depth))
            if 0 in depths[1:]:
                number = depths.index(0, 1)
                return next(islice(_BRACKETS.finditer(data, block), number - 1, None)).end()
            depth, block, size = depths[-1], block + size, min(2 * size, _LARGEST_BLOCK)
        return len(data)
