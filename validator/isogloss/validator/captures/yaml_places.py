"""Where the nodes of a YAML text stand, that was written as JSON: node by node, and inside strings by character."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from itertools import chain, pairwise

import orjson

from isogloss.validator.captures.yaml_scalars import scalar_segments
from isogloss.validator.text import Pairs, Segments

__all__ = ["STYLES", "Nodes"]

_ESCAPE = re.compile(rb"\\(?:u[0-9a-f]{4}|.)")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"')
STYLES = (None, "'", '"', "|", ">")


class Nodes:
    """The nodes of a document in the order of its JSON text: a text may have a million of them.

    Of each there is the offset in the JSON text, the characters of the YAML that it was read from, and the number of
    its style in `STYLES`.
    """

    __slots__ = ("ends", "offsets", "starts", "styles")

    def __init__(self) -> None:
        self.offsets = array("q")
        self.starts = array("q")
        self.ends = array("q")
        self.styles = bytearray()

    def add(self, offset: int, start: int, end: int, style: int = 0) -> None:
        """Take the next node."""
        self.offsets.append(offset)
        self.starts.append(start)
        self.ends.append(end)
        self.styles.append(style)

    def copy(self, first: int, last: int, ahead: int) -> None:
        """Take copies of the nodes from one number to another, so many bytes further in the JSON text."""
        self.offsets.extend([offset + ahead for offset in self.offsets[first:last]])
        self.starts += self.starts[first:last]
        self.ends += self.ends[first:last]
        self.styles += self.styles[first:last]

    def segments(self, json: bytes, data: bytes, skipped: int) -> Segments:
        """How the JSON text maps to the YAML, which begins behind so many bytes of `data`."""
        offset_of: Sequence[int] | dict[int, int] = range(len(data) + 1)
        if not data.isascii():
            offset_of = _byte_offsets(data, {*self.starts, *self.ends}, skipped)
        segments = Pairs()
        for offset, first, last, style in zip(self.offsets, self.starts, self.ends, self.styles, strict=True):
            start = offset_of[first]
            segments.add(offset, start)
            string = _STRING.match(json, offset)
            if string is None:
                continue
            value = orjson.loads(string[0]).encode()
            inner = scalar_segments(data[start : offset_of[last]], STYLES[style], value)
            if inner is not None:
                _in_string(json, offset, string.end(), inner, start, segments)
        return segments


def _in_string(json: bytes, offset: int, end: int, inner: Pairs, start: int, segments: Pairs) -> None:
    """Add the segments of a value that was written as a JSON string at `offset`, and is a YAML scalar at `start`.

    Both spellings have segments, each with its own escapes: they are gone through side by side.
    """
    ahead = offset + 1  # how much further the JSON text is than the value
    escapes = _ESCAPE.finditer(json, offset + 1, end)
    escape = next(escapes, None)
    after = escape.start() - ahead + 1 if escape is not None else sys.maxsize
    add = segments.add
    for (here, there), (following, _) in pairwise(chain(inner, [(sys.maxsize, 0)])):
        add(here + ahead, start + there)
        while escape is not None and after <= following:
            ahead = escape.end() - after
            if after < following:
                add(after + ahead, start + there + after - here)
            escape = next(escapes, None)
            after = escape.start() - ahead + 1 if escape is not None else sys.maxsize


def _byte_offsets(data: bytes, wanted: set[int], skipped: int) -> dict[int, int]:
    """The byte offset of each of the characters that are wanted."""
    characters = data[skipped:].decode()
    offsets: dict[int, int] = {}
    done, size = 0, skipped
    for offset in sorted(wanted):
        size += len(characters[done:offset].encode())
        done = offset
        offsets[offset] = size
    return offsets
