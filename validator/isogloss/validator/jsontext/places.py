"""The places of the values in a JSON text, as a scan of the whole text found them."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from isogloss.validator.jsontext.spelling import Spelling, segments
from isogloss.validator.jsontext.strings import ignore, read_string
from isogloss.validator.jsontext.walk import Walk
from isogloss.validator.text import Segments

__all__ = ["Places"]


class _Run:
    """Properties or items of a container that were read at once.

    They have no nodes: a walk in their part of the text finds them.
    """

    __slots__ = ("_data", "_end", "_start", "_walk", "after", "first")

    def __init__(self, data: bytes, first: int, count: int, start: int, end: int) -> None:
        """Take ``count`` properties or items, from number ``first`` on, which stand between two offsets."""
        self.first = first
        self.after = first + count
        self._data = data
        self._start = start
        self._end = end
        self._walk: Walk | None = None

    def find(self, step: str | int, rest: tuple[str | int, ...]) -> _Found | None:
        """Find the value at `rest` in the property or item `step`, or the last value on the way to it.

        Return ``None`` if there is no property or item `step` in the run.
        """
        opening, first = (b"{", step) if isinstance(step, str) else (b"[", step - self.first)
        if self._walk is None:
            self._walk = Walk(opening + self._data[self._start : self._end])
        key, start, exact = self._walk.find((first, *rest))
        if not start:
            return None
        ahead = self._start - len(opening)
        return _Found(None, key + ahead if key >= 0 else -1, start + ahead, exact)


class _Found(NamedTuple):
    """The wanted value, if ``exact``, or else the last value on the way to it. Values inside runs have no node."""

    node: int | None
    key: int
    """The offset of its key, -1 without one."""
    start: int
    exact: bool


class Places:
    """The places of the values and keys of a text that need not be JSON."""

    __slots__ = ("_children", "_data", "_ends", "_keys", "_runs", "_starts")

    def __init__(self, data: bytes) -> None:
        """Make empty places, for a scan to fill."""
        self._data = data
        # Every value is a node, in the order of the text. The nodes of its properties or items follow it directly.
        self._starts = array("q")  # offset of the value
        self._keys = array("q")  # offset of its key, -1 without one
        self._ends = array("q")  # the node after all of its properties or items
        self._children: dict[int, dict[str, int] | list[int]] = {}
        self._runs: dict[int, list[_Run]] = {}

    def add_run(self, node: int, first: int, count: int, start: int, end: int) -> None:
        """Note that ``count`` properties or items of a node, from number ``first`` on, stand between two offsets."""
        if count:
            self._runs.setdefault(node, []).append(_Run(self._data, first, count, start, end))

    def offset(self, pointer: tuple[str | int, ...], *, key: bool = False, known_steps: int = 0) -> int:
        """Return the byte offset of the value at `pointer`, or of its key.

        If the value does not exist, return the offset of the deepest container on the way to it. Only :class:`Walk`
        uses ``known_steps``.
        """
        if not self._starts:
            return 0
        found = self._find(pointer)
        return found.key if key and found.exact and found.key >= 0 else found.start

    def string_segments(self, pointer: tuple[str | int, ...]) -> Segments:
        """Return how the UTF-8 of the decoded string at `pointer` maps to the text, in the form for `Text.derived`.

        If there is no string at `pointer`, everything maps to the one `offset`.
        """
        start = self.offset(pointer)
        if self._data[start : start + 1] != b'"' or not self._find(pointer).exact:
            return [(0, start)]
        return segments(self._data, start + 1)

    def spelling(self, pointer: tuple[str | int, ...], decoded: bytes) -> Spelling:
        """Return where the characters of the string at `pointer` are written; `decoded` is the decoded string."""
        return Spelling(self._data, self.offset(pointer) + 1, decoded, sound=False)

    def _find(self, pointer: tuple[str | int, ...]) -> _Found:
        """Find the value at `pointer`, or the last value on the way to it."""
        node = 0
        for depth, step in enumerate(pointer):
            children = self._children_of(node)
            runs = self._runs.get(node, [])
            if isinstance(children, dict) and isinstance(step, str):
                child = children.get(step)
            elif isinstance(children, dict) or isinstance(step, str):
                return self._at(node, exact=False)
            else:
                number = step - sum(run.after - run.first for run in runs if run.after <= step)
                runs = [run for run in runs if run.first <= step < run.after]
                child = children[number] if not runs and 0 <= number < len(children) else None
            if child is None:
                within = (run.find(step, pointer[depth + 1 :]) for run in runs)
                return next((found for found in within if found), None) or self._at(node, exact=False)
            node = child
        return self._at(node, exact=True)

    def _at(self, node: int, *, exact: bool) -> _Found:
        return _Found(node, self._keys[node], self._starts[node], exact)

    def key_in_run(self, node: int, name: str) -> int | None:
        """Return the offset of a key of a node if it is in one of the node's runs, else ``None``."""
        found = (run.find(name, ()) for run in self._runs.get(node, ()))
        return next((value.key for value in found if value is not None), None)

    def _children_of(self, node: int) -> dict[str, int] | list[int]:
        """Return the nodes of a container's properties or items.

        They are remembered, since many findings share their containers.
        """
        children = self._children.get(node)
        if children is None:
            nodes = []
            child, end = node + 1, self._ends[node]
            while child < end:
                nodes.append(child)
                child = self._ends[child]
            children = nodes
            if self._data[self._starts[node]] == 0x7B:
                children = {read_string(self._data, self._keys[child] + 1, ignore)[0]: child for child in nodes}
            self._children[node] = children
        return children
