"""Where the values of a JSON text stand, as a scan of all of it found them."""

from __future__ import annotations

from array import array

from isogloss.validator.jsontext.spelling import Spelling, segments
from isogloss.validator.jsontext.strings import ignore, read_string
from isogloss.validator.text import Segments

__all__ = ["Places"]


class Places:
    """The places of the values and keys of a text that need not be JSON."""

    __slots__ = ("_children", "_data", "_ends", "_keys", "_starts")

    def __init__(self, data: bytes) -> None:
        """For a scan to fill."""
        self._data = data
        # Every value is a node, in the order of the text; the nodes of its members follow it directly.
        self._starts = array("q")  # offset of the value
        self._keys = array("q")  # offset of its key, -1 without one
        self._ends = array("q")  # the node after all of its members
        self._children: dict[int, dict[str, int] | list[int]] = {}

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
        return segments(self._data, start + 1)

    def spelling(self, pointer: tuple[str | int, ...], decoded: bytes) -> Spelling:
        """Where the characters of the string at `pointer`, which decodes so, are written."""
        return Spelling(self._data, self.offset(pointer) + 1, decoded, sound=False)

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
