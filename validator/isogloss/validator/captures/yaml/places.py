"""Find the places of YAML nodes, after the YAML was written as JSON, and of the characters in their strings."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from itertools import chain, pairwise

import orjson

from isogloss.validator.captures.yaml.scalars import scalar_segments
from isogloss.validator.text import SegmentPairs, Segments

__all__ = ["Nodes"]

_ESCAPE = re.compile(rb"\\(?:u[0-9a-f]{4}|.)")
_NODE = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{\[]|[^\s:,\]}"{\[]++')


class Nodes:
    """The nodes of a document, in the order of its JSON text. A text may have a million nodes.

    For each node, the offsets of the start and the end of its YAML are kept, in characters. Its offset in the JSON text
    is computed only when places are needed.
    """

    __slots__ = ("ends", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")

    def add(self, start: int, end: int) -> None:
        """Take the next node."""
        self.starts.append(start)
        self.ends.append(end)

    def copy(self, some: slice) -> None:
        """Take some of the nodes once more."""
        self.starts += self.starts[some]
        self.ends += self.ends[some]

    def segments(self, json: bytes, data: bytes, skipped: int) -> Segments:
        """Return how the JSON text maps to the YAML, which begins after `skipped` bytes of `data`."""
        offset_of: Sequence[int] | dict[int, int] = range(len(data) + 1)
        if not data.isascii():
            offset_of = _byte_offsets(data, {*self.starts, *self.ends}, skipped)
        segments = SegmentPairs()
        for node, first, last in zip(_NODE.finditer(json), self.starts, self.ends, strict=True):
            start, offset, written = offset_of[first], node.start(), node[0]
            segments.add(offset, start)
            if not written.startswith(b'"'):
                continue
            inner = scalar_segments(data[start : offset_of[last]], orjson.loads(written).encode())
            if inner is not None:
                _in_string(json, offset, node.end(), inner, start, segments)
        return segments


def _in_string(json: bytes, offset: int, end: int, inner: SegmentPairs, start: int, segments: SegmentPairs) -> None:
    """Add the segments of a value that is written as a JSON string at `offset` and as a YAML scalar at `start`.

    Both spellings have segments, each with its own escapes. The two are read side by side.
    """
    json_lead = offset + 1  # the JSON text is this many bytes ahead of the value
    escapes = _ESCAPE.finditer(json, offset + 1, end)
    escape = next(escapes, None)
    escape_offset = escape.start() - json_lead + 1 if escape is not None else sys.maxsize
    add = segments.add
    for (value_offset, yaml_offset), (next_offset, _) in pairwise(chain(inner, [(sys.maxsize, 0)])):
        add(value_offset + json_lead, start + yaml_offset)
        while escape is not None and escape_offset <= next_offset:
            json_lead = escape.end() - escape_offset
            if escape_offset < next_offset:
                add(escape_offset + json_lead, start + yaml_offset + escape_offset - value_offset)
            escape = next(escapes, None)
            escape_offset = escape.start() - json_lead + 1 if escape is not None else sys.maxsize


def _byte_offsets(data: bytes, wanted: set[int], skipped: int) -> dict[int, int]:
    """Return the byte offset of each of the wanted characters, by the number of the character."""
    characters = data[skipped:].decode()
    offsets: dict[int, int] = {}
    done, size = 0, skipped
    for offset in sorted(wanted):
        size += len(characters[done:offset].encode())
        done = offset
        offsets[offset] = size
    return offsets
