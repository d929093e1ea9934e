"""Read the regular parts of a JSON text, which have no fault. A scan reads the text between two faults in this way.

One expression matches a value with the comma behind it, or a key with its colon, and one loop takes all of them. Speed
matters: most of a damaged text is sound, and a hostile text has a token in each of its bytes. A fault that was reported
often enough is regular, too. After some bytes without a fault, whole stretches are decoded at once. After a stretch
that cannot be decoded, stretches are tried less often.
"""

from __future__ import annotations

import re
from functools import cache
from math import isinf
from typing import Any, Final

from isogloss.validator.jsontext.places import Places
from isogloss.validator.jsontext.stretches import LEAST, Stretch, stretch

__all__ = ["COLON", "DONE", "KEY", "MAX_DEPTH", "NEXT", "RULES", "VALUE", "Reader"]

VALUE, KEY, COLON, NEXT, DONE = range(5)
"""The tokens that may come next."""

_GAP = r"[ \t\r\n]*+"
_ENDS = r"(?![-+.\w$])"
_COMMA = _GAP + ",?+"


@cache
def _token() -> re.Pattern[bytes]:
    """Compile the expression for the next token.

    This takes milliseconds, and so it is done when the first damaged text is read.
    """
    return re.compile(
        (
            f"{_GAP}(?:"
            rf'("([^"\\\x00-\x1f]*+)"{_GAP}[,:]?+)'
            rf"|((-?(?:0|[1-9][0-9]*+)((?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)){_ENDS}{_COMMA})"
            rf"|([\]}}]{_COMMA})"
            rf"|((?:\[{_GAP}\]|\{{{_GAP}\}}){_COMMA})"
            r"|([\[{])"
            r"|(,)"
            rf"|((true|false|null|NaN|-?Infinity){_ENDS}{_COMMA})"
            ")"
        ).encode(),
        re.ASCII,
    )


# Groups of the expression. The outer group closes last, so it is the `lastindex` of a match.
_STRING, _NUMBER, _CLOSING, _EMPTY, _OPENING, _ONLY_COMMA = 1, 3, 6, 7, 8, 9
_CONTAINERS: Final = frozenset({_EMPTY, _OPENING})
_NO_VALUES: Final = frozenset({_CLOSING, _ONLY_COMMA})
_NAMES: Final = {b"true": True, b"false": False, b"null": None}

RULES: Final = ("json-duplicate-key", "json-not-a-number", "json-number-too-large")
"""The rules whose faults count as regular after enough of them were reported."""

MAX_DEPTH: Final = 1024
"""How deep containers may be nested: as deep as orjson reads them."""

PATIENCE: Final = 1 << 10
"""How many bytes are read token by token before a stretch is tried."""
_LONGEST_PATIENCE: Final = 1 << 16
SMALLEST: Final = 1 << 12
"""The size in bytes of the first stretch that is tried."""
_LARGEST: Final = 1 << 18


def _number(token: re.Match[bytes]) -> int | float | str:
    """Return the number that a token is, or the name of the rule that it breaks."""
    number = float(token[4])
    if isinf(number):
        return "json-number-too-large"
    return number if token[5] else int(token[4])


class Reader:
    """The state of a reading: the containers that are open, and what may come next."""

    def __init__(self, data: bytes, places: Places) -> None:
        self.data = data
        self.places = places
        self.open: list[dict[str, object] | list[object]] = []
        self.nodes: list[int] = []  # of the open containers
        self.steps: list[str | int] = []  # to the innermost of them
        self.keys: list[dict[str, int]] = []  # of the open containers, with the offset of each
        self.expected = VALUE
        self.comma = -1  # offset of the comma just read
        self.key = ""
        self.key_offset = -1  # of the key just read, when its value is to come
        self.unreported: set[str] = set()  # rules whose further faults are only counted
        self._patience = self._next = PATIENCE  # the offset from which on a stretch may begin
        self._size = SMALLEST  # the size of that stretch
        self._lowest = MAX_DEPTH  # the fewest open containers since then: a stretch ends with its container

    def regular(self, position: int) -> int:
        """Read on within the outermost container while all is regular, and return the offset to go on from."""
        if not self.open:
            return position
        data, match = self.data, _token().match
        starts, keys, ends = self.places._starts, self.places._keys, self.places._ends
        stack, key_offsets = self.open, self.keys
        top: Any = stack[-1]
        in_object = type(top) is dict
        expected, comma, key, key_offset = self.expected, self.comma, self.key, self.key_offset
        value: Any = None
        may_repeat_keys = "json-duplicate-key" in self.unreported
        next_stretch = self._next
        while token := match(data, position):
            if position >= next_stretch and comma >= 0:
                is_taken = self._takes_stretch(position, comma, expected)
                next_stretch = self._next
                if is_taken:
                    position = self.comma + 1
                    top, comma, expected = stack[-1], self.comma, self.expected
                    in_object = type(top) is dict
                    continue
            kind = token.lastindex or 0
            start, end = token.start(kind), token.end()
            if kind == _STRING:
                try:
                    value = content = token[2].decode()
                except UnicodeDecodeError:
                    break
                if expected == KEY:
                    if data[end - 1] != 0x3A or (
                        (content in key_offsets[-1] or content in top) and not may_repeat_keys
                    ):
                        break
                    key, key_offset, comma, expected, position = content, start, -1, VALUE, end
                    key_offsets[-1].setdefault(key, key_offset)
                    continue
                if expected != VALUE:
                    break
                if data[end - 1] == 0x3A:
                    end -= 1
            elif kind == _CLOSING:
                if comma >= 0 or key_offset >= 0 or len(stack) == 1 or (data[start] == 0x7D) != in_object:
                    break
                stack.pop()
                key_offsets.pop()
                self.steps.pop()
                ends[self.nodes.pop()] = len(starts)
                top = stack[-1]
                in_object = type(top) is dict
            elif kind == _ONLY_COMMA:
                if expected != NEXT:
                    break
            elif expected != VALUE:
                break
            elif kind in _CONTAINERS:
                if len(stack) >= MAX_DEPTH:
                    break
                value = [] if data[start] == 0x5B else {}
            else:
                value = _number(token) if kind == _NUMBER else _NAMES.get(token[11], "json-not-a-number")
                if type(value) is str:  # the rule that it breaks
                    if value not in self.unreported:
                        break
                    value = None
            if kind not in _NO_VALUES:
                starts.append(start)
                keys.append(key_offset)
                ends.append(len(starts))
                if in_object:
                    top[key] = value
                else:
                    top.append(value)
                if kind == _OPENING:
                    self.nodes.append(len(starts) - 1)
                    self.steps.append(key if in_object else len(top) - 1)
                    key_offsets.append({})
                    stack.append(value)
                    top = value
                    in_object = type(top) is dict
            position, comma, key_offset = end, -1, -1
            if data[end - 1] == 0x2C:
                comma, expected = end - 1, KEY if in_object else VALUE
            elif kind == _OPENING:
                expected = KEY if in_object else VALUE
            else:
                expected = NEXT
        self.expected, self.comma, self.key, self.key_offset = expected, comma, key, key_offset
        return position

    def _takes_stretch(self, position: int, comma: int, expected: int) -> bool:
        """Take a stretch behind a comma if one is due and there is one, and return whether that was so.

        A stretch is tried behind a comma of the outermost container that the bytes since the last one came back to.
        After four times as many bytes, it is tried in any container.
        """
        self._lowest = min(self._lowest, len(self.open))
        passed = position - self._next
        if passed < PATIENCE or (passed < 4 * PATIENCE and len(self.open) > self._lowest):
            return False
        self.comma, self.expected = comma, expected
        return self._stretch(position)

    def _stretch(self, position: int) -> bool:
        """Take a stretch behind a comma, if there is one, and return whether there was.

        After a stretch, the reading goes on behind the comma that ends it.
        """
        depth = len(self.open)
        found = stretch(self.data, position, self._size, in_object=self.expected == KEY, room=MAX_DEPTH - depth)
        self._lowest = MAX_DEPTH
        if found is None or (self.expected == KEY and not self._are_new(found.children)):
            self._patience = min(2 * self._patience, _LONGEST_PATIENCE)
            self._size = max(self._size // 8, LEAST)
            self._next = position + self._patience
            return False
        self._take(found, position)
        self._patience = PATIENCE
        if found.whole:
            self._size = min(8 * self._size, _LARGEST)
            self._next, self._lowest = found.end - PATIENCE, depth
        else:
            self._size = SMALLEST
            self._next = found.end
        return True

    def _are_new(self, children: dict[str, object]) -> bool:
        """Return whether the innermost open container, an object, has none of these keys yet."""
        return all(keys.keys().isdisjoint(children) for keys in (self.open[-1], self.keys[-1]))  # type: ignore[union-attr]

    def _take(self, found: Stretch, position: int) -> None:
        """Put a stretch into the innermost open container, and open the containers that are open at its end."""
        places, children = self.places, found.children
        top: Any = self.open[-1]
        first = len(top)
        if isinstance(top, dict):
            top.update(children)
        else:
            top.extend(children)
        for level in (*found.levels, None):
            end = found.end - 1 if level is None else level.start if level.key < 0 else level.key
            places.add_run(self.nodes[-1], first, len(children) - (level is not None), position, end)
            if level is None:
                break
            step = next(reversed(children)) if isinstance(top, dict) else len(top) - 1
            if isinstance(step, str):
                self.keys[-1][step] = level.key
            self.nodes.append(len(places._starts))
            self.steps.append(step)
            self.keys.append({})
            places._starts.append(level.start)
            places._keys.append(level.key)
            places._ends.append(len(places._starts))
            top = children = top[step]
            self.open.append(top)
            first, position = 0, level.start + 1
        self.comma, self.key_offset = found.end - 1, -1
        self.expected = KEY if isinstance(top, dict) else VALUE
