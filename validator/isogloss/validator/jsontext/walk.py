"""Where values stand in a text that is known to be JSON, found by walking to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, islice

from isogloss.validator.jsontext.spelling import Spelling, segments
from isogloss.validator.jsontext.strings import ignore, read_string
from isogloss.validator.text import Segments

__all__ = ["Walk"]

_STRING = rb'"[^"]*+"'
_DEEPEST = 12


def _container(levels: int) -> bytes:
    """A pattern of containers that are nested no deeper than that, read in one step."""
    inner = b"" if levels == 1 else b"|" + _container(levels - 1)
    return rb"[\[{](?:" + _STRING + rb'[^][{}"]*+|[^][{}"]++' + inner + rb")*+[\]}]"


@cache
def _shallow() -> re.Pattern[bytes]:
    """The pattern of containers; it takes milliseconds to compile, which most runs need not pay."""
    return re.compile(_container(_DEEPEST))


_STRINGS = re.compile(_STRING)
_BRACKETS = re.compile(rb"[][{}]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = [0] * 256
_STEPS[0x5B] = _STEPS[0x7B] = 1
_STEPS[0x5D] = _STEPS[0x7D] = -1
_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 10, 1 << 16
_SCALAR_VALUE = _STRING + rb'|[^][{}",: \t\r\n]++'
_MEMBER = re.compile(rb"[ \t\r\n,]*+(" + _STRING + rb")[ \t\r\n]*+:[ \t\r\n]*+(" + _SCALAR_VALUE + rb")?+")
"""A key, and the value behind it if that is no container."""
_GAP = re.compile(rb"[ \t\r\n,]*+")
_SCALAR = re.compile(_SCALAR_VALUE)
_COLON = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")

_MANY = 1024
"""Members of an object that are read, and kept in memory, before it is looked whether the wanted one follows at all."""

_MOST_JUMPS = 8
"""Members that are looked for in the whole rest of a text: a record has few, and an array of records too many."""

_OBJECT, _ARRAY = 0x7B, 0x5B


@dataclass(slots=True)
class _Container:
    """What was read of a container: the offsets of keys (or -1) and values, by name or number, and where to read on."""

    members: dict[str | int, tuple[int, int]]
    position: int


class Walk:
    """The places of a text that is JSON without duplicate keys. Each container is read as far as it is needed."""

    __slots__ = ("_brackets", "_containers", "_data", "_escapes", "_jumps", "_root", "_unescaped")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._escapes = b"\\" in data
        self._unescaped = None if self._escapes else data
        self._brackets: bytes | None = None
        self._jumps = 0
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        match = _GAP.match(data, start)
        self._root = match.end() if match else 0
        self._containers: dict[int, _Container] = {}

    @property
    def _tokens(self) -> bytes:
        """The text with other bytes for escaped quotes, so that a string is read without looking at its escapes."""
        if self._unescaped is None:
            self._unescaped = self._data.replace(rb"\\", b"..").replace(rb"\"", b"..")
        return self._unescaped

    def offset(self, pointer: tuple[str | int, ...], *, key: bool = False, there: int = 0) -> int:
        """The byte offset of the value at `pointer`, or of its key; else of the deepest container on the way.

        What stands at the first ``there`` steps is known to exist.
        """
        named, start, exact = self.find(pointer, there)
        return named if key and exact and named >= 0 else start

    def string_segments(self, pointer: tuple[str | int, ...]) -> Segments:
        """How the UTF-8 of the decoded string at `pointer` maps to the text, in the form `Text.derived` takes.

        Everything maps to the one `offset` when there is no string at `pointer`.
        """
        _, start, exact = self.find(pointer)
        is_string = exact and self._data[start : start + 1] == b'"'
        return segments(self._data, start + 1) if is_string else [(0, start)]

    def spelling(self, pointer: tuple[str | int, ...], decoded: bytes) -> Spelling:
        """Where the characters of the string at `pointer`, which decodes so, are written."""
        return Spelling(self._data, self.find(pointer, len(pointer))[1] + 1, decoded, sound=True)

    def find(self, pointer: tuple[str | int, ...], there: int = 0) -> tuple[int, int, bool]:
        """The offsets of the key (or -1) and value at `pointer`, or else of the last ones on the way, and False.

        What stands at the first ``there`` steps is known to exist.
        """
        key, start = -1, self._root
        for depth, step in enumerate(pointer):
            container = self._containers.get(start)
            if container is None:
                container = self._containers[start] = _Container({}, start + 1)
            found = container.members.get(step)
            if found is None and depth < there and self._jumps < _MOST_JUMPS:
                found = self._jump(container, step)
            found = found or self._read(container, start, step)
            if found is None:
                return key, start, False
            key, start = found
        return key, start, True

    def _jump(self, container: _Container, step: str | int) -> tuple[int, int] | None:
        """A member that is known to exist, without reading those before it; ``None`` if it may be another of its name.

        That is so where the name stands only once in the rest of the text, and no key may be spelled with escapes. In
        quotes it may also be the end of a string behind an escaped quote; it is there twice then.
        """
        self._jumps += 1
        if not isinstance(step, str) or not (step.isascii() and step.isidentifier()):
            return None
        name = b'"%b"' % step.encode()
        key = self._data.find(name, container.position)
        colon = _COLON.match(self._data, key + len(name)) if key >= 0 else None
        if colon is None or self._data.find(name, colon.end()) >= 0 or (self._escapes and b"\\u00" in self._data):
            return None
        found = container.members[step] = (key, colon.end())
        return found

    def _read(self, container: _Container, start: int, step: str | int) -> tuple[int, int] | None:
        """Read on in the container at an offset up to a member, named or numbered; ``None`` when there is none."""
        first = self._data[start] if start < len(self._data) else 0
        if first == _OBJECT and isinstance(step, str):
            return self._read_object(container, step)
        return self._read_array(container, step) if first == _ARRAY and isinstance(step, int) else None

    def _read_object(self, container: _Container, name: str) -> tuple[int, int] | None:
        data, tokens, members, position = self._data, self._tokens, container.members, container.position
        looked = False
        while member := _MEMBER.match(tokens, position):
            if not looked and len(members) >= _MANY:
                looked = True
                if self._lacks(name, position):
                    break
            key, end = member.span(1)
            start, position = member.span(2)
            if start < 0:
                start = member.end()
                position = self._after(start)
            spelled = data[key + 1 : end - 1]
            read = spelled.decode() if b"\\" not in spelled else read_string(data, key + 1, ignore)[0]
            members[read] = (key, start)
            if read == name:
                break
        container.position = position
        return members.get(name)

    def _lacks(self, name: str, start: int) -> bool:
        """Whether no key can have this name from an offset on, in a text without escapes."""
        return not self._escapes and self._data.find(b'"%s"' % name.encode(errors="replace"), start) < 0

    def _read_array(self, container: _Container, number: int) -> tuple[int, int] | None:
        data, members = self._data, container.members
        while len(members) <= number:
            gap = _GAP.match(data, container.position)
            start = gap.end() if gap else container.position
            if data[start : start + 1] in (b"]", b""):
                return None
            members[len(members)] = (-1, start)
            container.position = self._after(start)
        return members[number] if number >= 0 else None

    def _after(self, start: int) -> int:
        """The offset behind the value at an offset."""
        data = self._tokens
        if data[start] not in (_OBJECT, _ARRAY):
            scalar = _SCALAR.match(data, start)
            return scalar.end() if scalar else len(data)
        if shallow := _shallow().match(data, start):
            return shallow.end()
        return self._after_deep(start)

    def _after_deep(self, start: int) -> int:
        """The offset behind a container of many levels, looked for in the block of the text that it ends in."""
        if self._brackets is None:
            self._brackets = _STRINGS.sub(lambda string: b'"' * len(string[0]), self._tokens)
        data, depth, block, size = self._brackets, 0, start, _FIRST_BLOCK
        while block < len(data):
            brackets = data[block : block + size].translate(None, _NO_BRACKETS)
            depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=depth))
            if 0 in depths[1:]:
                number = depths.index(0, 1)
                return next(islice(_BRACKETS.finditer(data, block), number - 1, None)).end()
            depth, block, size = depths[-1], block + size, min(2 * size, _LARGEST_BLOCK)
        return len(data)
