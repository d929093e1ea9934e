"""Where the values of a JSON text stand."""

from __future__ import annotations

import re
from array import array

from isogloss.validator.jsontext.strings import ignore, read_string
from isogloss.validator.text import Pairs, Segments

__all__ = ["Places"]

# A key with its colon, the begin of a container, its end, any other value; in a text that is known to be JSON.
_TOKEN = re.compile(rb'("(?:[^"\\]++|\\.)*+"[ \t\r\n]*+:)|([\[{])|([\]}])|"(?:[^"\\]++|\\.)*+"|[^][{}",: \t\r\n]++')


class Places:
    """The places of a text's values and keys."""

    __slots__ = ("_children", "_data", "_ends", "_keys", "_starts")

    def __init__(self, data: bytes) -> None:
        """For `of` or a scan to fill."""
        self._data = data
        # Every value is a node, in the order of the text; the nodes of its members follow it directly.
        self._starts = array("q")  # offset of the value
        self._keys = array("q")  # offset of its key, -1 without one
        self._ends = array("q")  # the node after all of its members
        self._children: dict[int, dict[str, int] | list[int]] = {}

    @classmethod
    def of(cls, data: bytes) -> Places:
        """The places of a text that is known to be JSON."""
        found = cls(data)
        starts, keys, ends = found._starts, found._keys, found._ends
        key = -1
        around: list[int] = []  # the nodes of the open containers
        for token in _TOKEN.finditer(data):
            kind = token.lastindex
            if kind == 1:
                key = token.start()
            elif kind == 3:
                ends[around.pop()] = len(starts)
            else:
                if kind == 2:
                    around.append(len(starts))
                starts.append(token.start())
                keys.append(key)
                ends.append(len(starts))
                key = -1
        return found

    def offset(self, pointer: tuple[str | int, ...], *, key: bool = False) -> int:
        """The byte offset of the value at `pointer`, or of its key; else of the deepest container on the way."""
        if not self._starts:
            return 0
        node, exact = self._find(pointer)
        if key and exact and self._keys[node] >= 0:
            return self._keys[node]
        return self._starts[node]

    def string_segments(self, pointer: tuple[str | int, ...]) -> Segments:
        """How the UTF-8 of the decoded string at `pointer` maps to the text, in the form `Text.derived` takes.

        Everything maps to the one `offset` when there is no string at `pointer`.
        """
        start = self.offset(pointer)
        if self._data[start : start + 1] != b'"' or not self._find(pointer)[1]:
            return [(0, start)]
        segments = Pairs()
        text, end, closed = read_string(self._data, start + 1, ignore, segments)
        segments.add(len(text.encode()), end - closed)  # the end too may be a place: that of what is missing
        return segments

    def _find(self, pointer: tuple[str | int, ...]) -> tuple[int, bool]:
        """The node at `pointer` or the last one on the way to it, and whether it is the one at `pointer`."""
        node = 0
        for step in pointer:
            members = self._members(node)
            if isinstance(members, dict):
                child = members.get(step) if isinstance(step, str) else None
            else:
                child = members[step] if isinstance(step, int) and 0 <= step < len(members) else None
            if child is None:
                return node, False
            node = child
        return node, True

    def _members(self, node: int) -> dict[str, int] | list[int]:
        """The nodes of a container's members, remembered: many findings share their containers."""
        members = self._children.get(node)
        if members is None:
            nodes = []
            child, end = node + 1, self._ends[node]
            while child < end:
                nodes.append(child)
                child = self._ends[child]
            members = nodes
            if self._data[self._starts[node]] == 0x7B:
                members = {read_string(self._data, self._keys[child] + 1, ignore)[0]: child for child in nodes}
            self._children[node] = members
        return members
