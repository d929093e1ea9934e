"""Find where the characters of a decoded string are written in its JSON text."""

from __future__ import annotations

import json
from bisect import bisect_right, insort
from collections.abc import Callable

import orjson

from isogloss.validator.jsontext.strings import ignore, read_string
from isogloss.validator.text import SegmentPairs

__all__ = ["Spelling"]


def _as_orjson(text: str) -> bytes:
    return orjson.dumps(text)[1:-1]


def _as_ascii(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode()


class Spelling:
    """Maps offsets in a decoded string to offsets in its text.

    Most writers spell strings in one of two ways. If the text begins with the string up to an offset, spelled in one of
    these ways, the length of this spelling is the answer. Any other text is read escape by escape.
    """

    __slots__ = ("_data", "_decoded", "_known", "_segments", "_spell", "_start")

    def __init__(self, data: bytes, start: int, decoded: bytes, *, sound: bool) -> None:
        """Take the string whose first character, after the quote, is at ``start`` of ``data``.

        ``decoded`` is the string after decoding. ``sound`` says that the text is JSON: if not, it may begin with
        something that is no character of the string.
        """
        self._data = data
        self._start = start
        self._decoded = decoded
        self._known = [(0, start)]
        self._spell: Callable[[str], bytes] = _as_orjson
        self._segments = None if sound else segments(data, start)

    def offset(self, offset: int) -> int:
        """Return the offset in the text of the character at an offset of the decoded string, or of its end."""
        if self._segments is None:
            decoded_offset, text_offset = self._known[bisect_right(self._known, offset, key=lambda known: known[0]) - 1]
            if decoded_offset == offset:
                return text_offset
            try:
                part = self._decoded[decoded_offset:offset].decode()
            except UnicodeDecodeError:
                part = ""
            for spell in (self._spell, _as_ascii) if part else ():
                spelled = spell(part)
                if self._data.startswith(spelled, text_offset):
                    self._spell = spell
                    insort(self._known, (offset, text_offset + len(spelled)))
                    return text_offset + len(spelled)
            self._segments = segments(self._data, self._start)
        index = max(0, bisect_right(self._segments, offset, key=lambda segment: segment[0]) - 1)
        decoded_offset, text_offset = self._segments[index]
        found = text_offset + max(0, offset - decoded_offset)
        return min(found, self._segments[index + 1][1] - 1) if index + 1 < len(self._segments) else found


def segments(data: bytes, start: int) -> SegmentPairs:
    """Map the decoded string whose first character is at ``start`` to the text, in the form for `Text.derived`."""
    found = SegmentPairs()
    text, end, closed = read_string(data, start, ignore, found)
    found.add(len(text.encode()), end - closed)  # the end is a place, too: that of something missing
    return found
