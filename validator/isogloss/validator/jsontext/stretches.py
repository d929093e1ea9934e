"""Decode the sound stretches of a damaged JSON text, each at once, with orjson.

A stretch begins behind a comma and ends behind a later comma, which may be inside deeper containers. When the brackets
that are open at its end are closed, the stretch is JSON. So orjson returns its content, and confirms that it has no
fault.
"""

from __future__ import annotations

import re
from itertools import accumulate, compress
from typing import Any, Final, NamedTuple

import orjson

from isogloss.validator.jsontext.repeats import repeats_a_key

__all__ = ["LEAST", "Level", "Stretch", "stretch"]

LEAST: Final = 256
"""The length in bytes of the shortest stretch that is worth the effort."""

_TRIES = 4
_DEEPEST = 200
"""How many levels are decoded at once: orjson writes few more."""
_BRACKETS = b"[]{}"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_IS_BRACKET = bytes(byte in _BRACKETS for byte in range(256))
_STEPS: Final = {0x5B: 1, 0x7B: 1, 0x5D: -1, 0x7D: -1}
_CLOSING: Final = {0x5B: 0x5D, 0x7B: 0x7D}
_LARGE_INTEGER = re.compile(rb"(?<![.0-9eE+])[0-9]{19,}+(?![.eE])")
"""orjson makes floats of integers beyond 64 bits."""


class Level(NamedTuple):
    """A container that is open at the end of a stretch."""

    key: int
    """The offset of its key, -1 in an array."""
    start: int
    """The offset of its opening bracket."""


class Stretch(NamedTuple):
    """The part of a JSON text between two commas of a container."""

    children: Any
    """The properties or items of that container. The last of them is the first of the levels, if there are levels."""
    levels: list[Level]
    """The containers that are open at the end, the outermost first."""
    end: int
    """The offset behind the last comma."""
    whole: bool
    """Whether the stretch ended only because of the limit of its size."""


def stretch(data: bytes, start: int, size: int, *, in_object: bool, room: int) -> Stretch | None:
    """Read a stretch of at most `size` bytes from an offset on, behind a comma of an array or an object.

    Return ``None`` if no stretch is found that has at least `LEAST` bytes, is sound, has no key twice, and opens at
    most `room` containers.
    """
    blank = _without_strings(data[start : start + size])
    whole = True
    for _ in range(_TRIES):
        end = blank.rfind(b",", 0, size)
        if end < LEAST:
            return None
        depths = list(accumulate(map(_STEPS.__getitem__, blank[:end].translate(None, _NO_BRACKETS))))
        if depths and min(depths) < 0:  # the container ends inside the stretch
            size = next(at for at, depth in zip(_brackets(blank, end), depths, strict=True) if depth < 0)
            whole = False
            continue
        if (depths and max(depths) > min(room, _DEEPEST)) or _LARGE_INTEGER.search(blank, 0, end):
            return None
        opened = _opened(depths, blank, end)
        if not blank[opened[-1] + 1 if opened else 0 : end].strip(b" \t\r\n"):  # a comma with nothing before it
            size, whole = end, False
            continue
        opening = b"{" if in_object else b"["
        closing = bytes(_CLOSING[one] for one in (*(blank[at] for at in reversed(opened)), *opening))
        text = b"%s%s%s" % (opening, data[start : start + end], closing)
        try:
            children = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            size, whole = min(_sound_length(text, error), end), False
            continue
        if b":" in text and repeats_a_key(text, children):
            size, whole = size // 8, False
            continue
        keys = [_key_offset(blank, at, in_object=blank[outer] == 0x7B if outer >= 0 else in_object)
                for at, outer in zip(opened, [-1, *opened], strict=False)]  # fmt: skip
        levels = [Level(key + start if key >= 0 else -1, at + start) for key, at in zip(keys, opened, strict=True)]
        return Stretch(children, levels, start + end + 1, whole)
    return None


def _without_strings(data: bytes) -> bytes:
    """Return a text of the same length with its quotes, but NUL in place of all bytes between them.

    The text must be JSON up to its end.
    """
    if b"\\" in data:
        data = data.replace(rb"\\", b"..").replace(rb"\"", b"..")
    parts = data.split(b'"')
    parts[1::2] = list(map(bytes, map(len, parts[1::2])))
    return b'"'.join(parts)


def _brackets(blank: bytes, end: int) -> list[int]:
    """Return the offsets of the brackets before an offset."""
    return list(compress(range(end), blank[:end].translate(_IS_BRACKET)))


def _opened(depths: list[int], blank: bytes, end: int) -> list[int]:
    """Return the offsets of the brackets that are open at the end, the outermost first."""
    opened: list[int] = []
    if not depths or not depths[-1]:
        return opened
    offsets = _brackets(blank, end)
    backwards = [*reversed(depths), 0]
    at = -1
    for depth in range(depths[-1] - 1, -1, -1):
        at = backwards.index(depth, at + 1)
        opened.append(offsets[len(depths) - at])
    opened.reverse()
    return opened


def _key_offset(blank: bytes, at: int, *, in_object: bool) -> int:
    """Return the offset of the key of the value at an offset, or -1 in an array."""
    return blank.rfind(b'"', 0, blank.rfind(b'"', 0, at)) if in_object else -1


def _sound_length(text: bytes, error: orjson.JSONDecodeError) -> int:
    """Return how many bytes behind the first one orjson read before it refused a text, or a smaller number."""
    try:
        return len(text.decode()[: error.pos].encode()) - 1
    except UnicodeDecodeError as undecodable:
        return undecodable.start - 1
