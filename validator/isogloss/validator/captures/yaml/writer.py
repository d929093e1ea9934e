"""Write the events of a YAML parser as JSON, event by event, and keep the place of each node in the YAML.

Nothing is recursive. Aliases are copied within a budget, and tags never make anything but data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import orjson

from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.yaml.keys import CollectionKey
from isogloss.validator.captures.yaml.places import Nodes
from isogloss.validator.captures.yaml.words import BINARY, KEYS, STRINGS, TAG, Spellings, plain_scalar, plain_scalars

__all__ = ["Writer"]

_DEEPEST = 200
_MOST_NODES = 1_000_000
_MOST_COPIED = 50_000
_AT_ONCE = 1 << 12
"""How many events are written before the nodes are counted again, and how many parts are joined at once."""
_FIELDS = ("data:", "event:", "id:", "retry:", ":")
_ITEM, _KEY, _VALUE = range(3)
_TOO_MUCH = "aliases that expand to far more than what is written"


class _Anchored(NamedTuple):
    """The value that an anchor names, as a slice of the parts of the JSON text and as a slice of the nodes."""

    parts: slice
    nodes: slice


def _join(parts: list[bytes]) -> bytes:
    """Join the parts, some at a time: Python takes 80 bytes for each of the parts that it joins."""
    return b"".join([b"".join(parts[start : start + _AT_ONCE]) for start in range(0, len(parts), _AT_ONCE)])


def _with_last_line(event: Any) -> str:
    """Return the value of a literal scalar, with the blank line behind it if that ends the last event of a stream.

    YAML leaves it out, unless the header says that it belongs to the value (``|+``), which people forget.
    """
    value: str = event.value
    lines = event.end_mark.line - event.start_mark.line - 1  # with those that are left out
    is_stream = value.startswith(_FIELDS) and value.endswith("\n")
    return value + "\n" if is_stream and value.count("\n") < lines else value


class Writer:
    """The JSON text of one document that is being written.

    Each part of the text is a node with the colon or comma behind it, or the end of a collection.
    """

    def __init__(self, yaml: Any, *, limit: int, keys: Spellings = KEYS) -> None:
        """Begin a text. `yaml` is the module of PyYAML, and `keys` says how keys are written.

        `limit` is how many bytes the text may have. Aliases may expand to as many bytes.
        """
        self.nodes = Nodes()
        self._parts: list[bytes] = []
        self._yaml = yaml
        self._limit = limit
        self._keys = keys
        self._role = _ITEM  # of the next node
        # open collections: role, closing bracket, anchor, and the numbers of the part and the node that they begin with
        self._open: list[tuple[int, bytes, str | None, int, int]] = []
        self._copied = 0  # nodes
        self._expanded = 0  # bytes
        self._anchors: dict[str, _Anchored] = {}

    def write(self, events: Iterator[Any]) -> bytes:
        """Return the JSON of the events of PyYAML up to the end of the document. Raises :class:`Unreadable`."""
        done = False
        while not done:
            done = self._write(islice(events, _AT_ONCE), events)
            if len(self.nodes.starts) > _MOST_NODES:
                raise Unreadable(f"more than {_MOST_NODES:,} nodes, or {_TOO_MUCH}")
        self._end_of_list()
        json = _join(self._parts)
        if len(json) > self._limit:
            raise Unreadable(_TOO_MUCH)
        return json

    def _write(self, batch: Iterator[Any], events: Iterator[Any]) -> bool:
        """Write a batch of the events, and return whether the document ends.

        If one of them begins a collection that is a key, more events are taken, up to the end of this collection.
        """
        yaml, words, keys, strings = self._yaml, plain_scalars(self._yaml), self._keys, STRINGS
        scalar, sequence, mapping = yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent
        end_of_sequence, end_of_mapping = yaml.SequenceEndEvent, yaml.MappingEndEvent
        put, start, end = self._parts.append, self.nodes.starts.append, self.nodes.ends.append
        for event in batch:
            kind = type(event)
            if kind is scalar:
                if event.tag is not None:
                    self._write_tagged(event)
                    continue
                start(event.start_mark.index)
                end(event.end_mark.index)
                if self._role == _KEY:
                    put(keys[event.value])
                    self._role = _VALUE
                else:
                    style, value = event.style, event.value
                    put(strings[value if style != "|" else _with_last_line(event)] if style else words[value])
                    if self._role:
                        self._role = _KEY
                if event.anchor is not None:
                    self._keep_anchor(event.anchor, len(self._parts) - 1, len(self.nodes.starts) - 1)
            elif kind is sequence or kind is mapping:
                if self._role == _KEY:
                    self._write_collection_key(event, events)
                else:
                    self._begin(event, mapping=kind is mapping)
            elif kind is end_of_sequence or kind is end_of_mapping:
                self._end()
            elif kind is yaml.AliasEvent:
                self._write_alias(event)
            else:
                return True  # the end of the document
        return False

    def _put(self, json: bytes) -> None:
        """Add a whole value, or a key."""
        self._parts.append(json + (b":" if self._role == _KEY else b","))
        self._role = _VALUE if self._role == _KEY else _KEY if self._role == _VALUE else _ITEM

    def _keep_anchor(self, anchor: str, part: int, node: int) -> None:
        """Keep what an anchor names: everything from this part and this node on."""
        self._anchors[anchor] = _Anchored(slice(part, len(self._parts)), slice(node, len(self.nodes.starts)))

    def _begin(self, event: Any, *, mapping: bool) -> None:
        if len(self._open) >= _DEEPEST:
            raise Unreadable(f"line {event.start_mark.line + 1}: nested more than {_DEEPEST} deep")
        parts, starts, index = self._parts, self.nodes.starts, event.start_mark.index
        self._open.append((self._role, b"}," if mapping else b"],", event.anchor, len(parts), len(starts)))
        starts.append(index)
        self.nodes.ends.append(index)
        parts.append(b"{" if mapping else b"[")
        self._role = _KEY if mapping else _ITEM

    def _end(self) -> None:
        self._end_of_list()
        role, end, anchor, part, node = self._open.pop()
        self._parts.append(end)
        self._role = _KEY if role == _VALUE else _ITEM
        if anchor is not None:
            self._keep_anchor(anchor, part, node)

    def _end_of_list(self) -> None:
        """Take away the comma behind the last value of a collection, or of the document."""
        last = self._parts[-1]
        if last.endswith(b","):
            self._parts[-1] = last[:-1]

    def _write_tagged(self, event: Any) -> None:
        part, node, tag = len(self._parts), len(self.nodes.starts), event.tag
        span = event.start_mark.index, event.end_mark.index
        self.nodes.add(*span)
        written = orjson.dumps(event.value)
        if self._role != _KEY:
            if tag in (f"{TAG}binary", "!binary"):
                self.nodes.add(*span)
                self.nodes.add(*span)
                written = b'{"%s":%s}' % (BINARY.encode(), written)
            elif tag.startswith(TAG):
                written = plain_scalar(event.value, tag) or written
        self._put(written)
        if event.anchor is not None:
            self._keep_anchor(event.anchor, part, node)

    def _write_collection_key(self, event: Any, events: Iterator[Any]) -> None:
        """Write a collection that is a key as the first scalar or alias in it, or as an empty string if it has none."""
        key = CollectionKey(event)
        while not key.take(next(events)):
            pass
        first = key.first
        if first is not None and type(first) is self._yaml.AliasEvent:
            self._write_alias(first)
            return
        part, node = len(self._parts), len(self.nodes.starts)
        written = event if first is None else first
        self.nodes.add(written.start_mark.index, written.end_mark.index)
        self._put(b'""' if first is None else orjson.dumps(first.value))
        for anchor in key.anchors:
            self._keep_anchor(anchor, part, node)

    def _write_alias(self, event: Any) -> None:
        anchored = self._anchors.get(event.anchor)
        if anchored is None or any(anchor == event.anchor for _, _, anchor, _, _ in self._open):
            raise Unreadable(f"line {event.start_mark.line + 1}: an alias of something that is not defined yet")
        parts = self._parts[anchored.parts]
        if self._role == _KEY and not parts[0].startswith(b'"'):
            raise Unreadable(f"line {event.start_mark.line + 1}: a key that is not a scalar")
        self._copied += anchored.nodes.stop - anchored.nodes.start
        self._expanded += sum(map(len, parts))
        if self._copied > _MOST_COPIED or self._expanded > self._limit:
            raise Unreadable(_TOO_MUCH)
        self.nodes.copy(anchored.nodes)
        last = parts.pop()
        self._parts += parts
        self._put(last.rstrip(b",:"))
