"""Where values stand in a text that is known to be JSON, found by walking to them."""

from __future__ import annotations

import re

from isogloss.validator.jsontext.spelling import Spelling, segments
from isogloss.validator.jsontext.strings import ignore, read_string

__all__ = ["Walk"]

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_DEEPEST = 12


def _container(levels: int) -> bytes:
    """A pattern of containers that are nested no deeper than that, read in one step."""
    inner = b"" if levels == 1 else b"|" + _container(levels - 1)
    return rb'[\[{](?:[^][{}"]++|' + _STRING + inner + rb")*+[\]}]"


_SHALLOW = re.compile(_container(_DEEPEST), re.DOTALL)
_TOKEN = re.compile(_STRING + rb"|[][{}]", re.DOTALL)
_KEY = re.compile(rb"[ \t\r\n,]*+(" + _STRING + rb")[ \t\r\n]*+:[ \t\r\n]*+", re.DOTALL)
_GAP = re.compile(rb"[ \t\r\n,]*+")
_SCALAR = re.compile(_STRING + rb'|[^][{}",: \t\r\n]++', re.DOTALL)

_OBJECT, _ARRAY = 0x7B, 0x5B


class Walk:
    """The places of a text that is JSON without duplicate keys. The members of a container are looked up once."""

    __slots__ = ("_data", "_members", "_root")

    def __init__(self, data: bytes) -> None:
        self._data = data
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        match = _GAP.match(data, start)
        self._root = match.end() if match else 0
        self._members: dict[int, dict[str | int, tuple[int, int]]] = {}

    def offset(self, pointer: tuple[str | int, ...], *, key: bool = False) -> int:
        """The byte offset of the value at `pointer`, or of its key; else of the deepest container on the way."""
        named, start, exact = self._find(pointer)
        return named if key and exact and named >= 0 else start

    def string_segments(self, pointer: tuple[str | int, ...]) -> list[tuple[int, int]]:
        """How the UTF-8 of the decoded string at `pointer` maps to the text, in the form `Text.derived` takes.

        Everything maps to the one `offset` when there is no string at `pointer`.
        """
        _, start, exact = self._find(pointer)
        is_string = exact and self._data[start : start + 1] == b'"'
        return segments(self._data, start + 1) if is_string else [(0, start)]

    def spelling(self, pointer: tuple[str | int, ...], decoded: bytes) -> Spelling:
        """Where the characters of the string at `pointer`, which decodes so, are written."""
        return Spelling(self._data, self._find(pointer)[1] + 1, decoded)

    def _find(self, pointer: tuple[str | int, ...]) -> tuple[int, int, bool]:
        """The offsets of the key (or -1) and value at `pointer`, or else of the last ones on the way, and False."""
        key, start = -1, self._root
        for step in pointer:
            found = self._inside(start).get(step)
            if found is None:
                return key, start, False
            key, start = found
        return key, start, True

    def _inside(self, start: int) -> dict[str | int, tuple[int, int]]:
        """The members of the container at an offset, by name or number: the offsets of their keys and values."""
        members = self._members.get(start)
        if members is None:
            data = self._data
            first = data[start] if start < len(data) else 0
            members = self._members[start] = (
                self._object(start + 1) if first == _OBJECT else self._array(start + 1) if first == _ARRAY else {}
            )
        return members

    def _object(self, position: int) -> dict[str | int, tuple[int, int]]:
        members: dict[str | int, tuple[int, int]] = {}
        while key := _KEY.match(self._data, position):
            name = key[1]
            text = name[1:-1].decode() if b"\\" not in name else read_string(name, 1, ignore)[0]
            members[text] = (key.start(1), key.end())
            position = self._after(key.end())
        return members

    def _array(self, position: int) -> dict[str | int, tuple[int, int]]:
        members: dict[str | int, tuple[int, int]] = {}
        while True:
            gap = _GAP.match(self._data, position)
            start = gap.end() if gap else position
            if self._data[start : start + 1] in (b"]", b""):
                return members
            members[len(members)] = (-1, start)
            position = self._after(start)

    def _after(self, start: int) -> int:
        """The offset behind the value at an offset."""
        data = self._data
        if data[start] not in (_OBJECT, _ARRAY):
            scalar = _SCALAR.match(data, start)
            return scalar.end() if scalar else len(data)
        if shallow := _SHALLOW.match(data, start):
            return shallow.end()
        depth = 0
        for token in _TOKEN.finditer(data, start):
            first = data[token.start()]
            if first != 0x22:
                depth += 1 if first in (_OBJECT, _ARRAY) else -1
                if not depth:
                    return token.end()
        return len(data)
