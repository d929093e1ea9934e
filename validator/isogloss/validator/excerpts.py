"""Make excerpts: one line that shows what is around a place, with the place marked. It shows structure and keys.

Of the values, only numbers, booleans, null and the short words of a few enumerations are shown. Every other string is
``"…"``, so that no excerpt contains text of a message or a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from isogloss.validator.pointer import Pointer, existing_steps, follow
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

__all__ = ["ENUMERATIONS", "Excerpt", "Names", "excerpt_of_text", "excerpt_of_value"]

ENUMERATIONS = frozenset({"finish_reason", "object", "role", "service_tier", "type"})
"""Names of properties whose values are words of the protocol, not of users."""
_WORD = r"[a-z][a-z0-9_.-]{0,30}\Z"
_LONGEST_NAME = 40
_LONGEST_NUMBER = 20
_BESIDE = 4
"""How many properties or items are shown on either side."""
_FEW = 64
"""How many names of an object are looked through each time."""
_MOST_PROPERTIES = 12
"""How many properties of a whole object are shown."""
_BEFORE, _AFTER = 1 << 16, 1 << 10
"""How many bytes of a text before and after a place are read."""
_TOKEN = (
    r'(?P<key>"(?:[^"\\\n]|\\.)*")(?=\s*:)|(?P<string>"(?:[^"\\\n]|\\.)*(?:"|\Z))'
    r"|(?P<kept>[{}\[\],:]|\[DONE\]|(?<![\w.])(?:true|false|null|NaN|-?Infinity|-?\d[\d.eE+-]{0,20})(?![\w.]))"
    r'|(?P<blank>\s+)|(?P<other>[^\s{}\[\],:"]+|")'
)
_FIELD = r"(?:data|event|id|retry):"
_STRUCTURE = r"[{}\[\]]|\": "
_LONGEST_FIELD = 8
_LINES = 2
"""How many lines before a place are shown, if the JSON has several lines."""


class Excerpt(Struct, frozen=True):
    """One line of printable text. ``text[start:end]`` is the marked place."""

    text: str
    start: int
    end: int


class Names:
    """The names of the last large object that excerpts were made of. Very many findings may be in one object."""

    __slots__ = ("_holder", "_names", "_positions")

    def __init__(self) -> None:
        self._holder: dict[str, object] = {}
        self._names: list[str] = []
        self._positions: dict[str, int] = {}

    def around(self, holder: dict[str, object], name: str) -> tuple[list[str], int]:
        """Return some names in an object, with this one and those beside it, and how many names are before them."""
        if len(holder) <= _FEW:
            return list(holder), 0
        if holder is not self._holder:
            self._holder, self._names = holder, list(holder)
            self._positions = {one: position for position, one in enumerate(holder)}
        first = max(0, self._positions[name] - _BESIDE)
        return self._names[first : self._positions[name] + _BESIDE + 1], first


def excerpt_of_value(payload: object, pointer: Pointer, *, key: bool = False, names: Names | None = None) -> Excerpt:
    """Make an excerpt around a place in a payload, with most values left out.

    For a property, show the object that holds it. For an item of an array, or the whole payload, show the value itself.
    If the value is missing, mark the object that lacks it. With ``key``, mark only the name of the property. ``names``
    keeps what is looked up, for the next place in the same payload.
    """
    depth = existing_steps(payload, pointer)
    holder = follow(payload, pointer[: depth - 1]) if depth else None
    if depth == len(pointer) and depth and isinstance(holder, dict):
        return _in_object(_opening(pointer[: depth - 1]), holder, str(pointer[-1]), names or Names(), key=key)
    opening = _opening(pointer[:depth])
    whole = _whole(follow(payload, pointer[:depth]))
    return Excerpt(opening + whole, len(opening), len(opening) + len(whole))


def _opening(pointer: Pointer) -> str:
    """Return the name of the last property in a pointer, with the indexes after it.

    The result is empty if there is no property, as for the payload itself.
    """
    position = next(
        (position for position in range(len(pointer) - 1, -1, -1) if isinstance(pointer[position], str)), None
    )
    if position is None:
        return ""
    return _name(str(pointer[position])) + "".join(f"[{index}]" for index in pointer[position + 1 :]) + ": "


def _in_object(opening: str, holder: dict[str, object], name: str, known: Names, *, key: bool) -> Excerpt:
    some, start = known.around(holder, name)
    at = some.index(name)
    shown = some[max(0, at - _BESIDE) : at + _BESIDE + 1]
    first = start + max(0, at - _BESIDE)
    last = first + len(shown)
    before = [_property(one, holder[one]) for one in some[max(0, at - _BESIDE) : at]]
    after = [_property(one, holder[one]) for one in some[at + 1 : at + _BESIDE + 1]]
    start_text = opening + "{" + ("…, " if first else "") + "".join(f"{one}, " for one in before)
    marked = _property(name, holder[name])
    end_text = "".join(f", {one}" for one in after) + (", …" if last < len(holder) else "") + "}"
    end = len(start_text) + len(_name(name) if key else marked)
    return Excerpt(start_text + marked + end_text, len(start_text), end)


def _whole(value: object) -> str:
    if isinstance(value, dict) and value:
        shown = ", ".join(_property(name, item) for name, item in islice(value.items(), _MOST_PROPERTIES))
        return "{" + shown + (", …" if len(value) > _MOST_PROPERTIES else "") + "}"
    return _short(None, value)


def _property(name: str, value: object) -> str:
    return f"{_name(name)}: {_short(name, value)}"


def _name(name: str) -> str:
    text = printable(mask_text(name)) if not (name.isascii() and name.isidentifier()) else name
    return f'"{text}"' if len(text) <= _LONGEST_NAME else f'"{text[:_LONGEST_NAME]}…"'


def _short(name: str | None, value: object) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[…]" if value else "[]"
    if isinstance(value, str):
        return json.dumps(value) if not value or (name in ENUMERATIONS and re.match(_WORD, value)) else '"…"'
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_NUMBER else text[:_LONGEST_NUMBER] + "…"


def excerpt_of_text(data: bytes, offset: int) -> Excerpt | None:
    """Make an excerpt around an offset in a text, or return ``None`` if it does not look like JSON there.

    It is for texts that could not be decoded to a value. Keys are shown. Of all other words, only those of JSON are
    shown.
    """
    start, end = _lines_around(data, offset)
    line = data[start:end].decode(errors="replace")
    at = len(data[start:offset].decode(errors="replace"))
    text, marked = "", None
    for ends, shown in _tokens(line):
        if marked is None and ends > at:
            marked = len(text), len(text) + len(shown)
        text += shown
    if not re.search(_STRUCTURE, text):
        return None
    spaces = len(text) - len(text.lstrip())
    text = text.strip()
    if marked is not None:
        marked = max(0, marked[0] - spaces), max(1, marked[1] - spaces)
    if marked is None or marked[0] >= len(text):  # the place is at the end of the text
        return Excerpt(text + " ", len(text), len(text) + 1)
    return Excerpt(text, marked[0], min(marked[1], len(text)))


def _lines_around(data: bytes, offset: int) -> tuple[int, int]:
    """Return the start and the end of the part of a text that is looked at around an offset.

    This is the line of the offset. If that is no field of SSE, some lines before it and the next one are included, too.
    """
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset) % (len(data) + 1)
    if re.match(_FIELD, data[start : start + _LONGEST_FIELD].decode(errors="replace")) is None:
        for _ in range(_LINES):
            start = data.rfind(b"\n", 0, max(0, start - 1)) + 1
        end = data.find(b"\n", end + 1) % (len(data) + 1)
    return max(start, offset - _BEFORE), min(end, offset + _AFTER)


def _tokens(line: str) -> Iterator[tuple[int, str]]:
    """Yield for each token of a line the offset of its end, and the text that is shown for it."""
    field = re.match(_FIELD, line)
    if field is not None:
        yield field.end(), field[0]
    for token in re.compile(_TOKEN).finditer(line, field.end() if field else 0):
        kind, text = token.lastgroup, token[0]
        if kind == "key":
            text = _name(text[1:-1])
        elif kind == "string":
            text = '""' if text == '""' else '"…"' if text.endswith('"') and len(text) > 1 else '"…'
        elif kind == "blank":
            text = " "
        elif kind == "other":
            text = "…"
        yield token.end(), text
