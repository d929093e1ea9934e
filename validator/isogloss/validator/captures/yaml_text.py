"""YAML read as JSON: each document becomes a JSON text that knows where in the YAML each part of it stands.

So what is recorded in YAML goes the same way as what is recorded in JSON. The parser's events are written out one by
one: nothing recurses, aliases are copied within a budget, and no tag makes anything but data. Scalars are resolved as
PyYAML does (YAML 1.1), which writes most cassettes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from isogloss.validator.captures.capture import Unreadable
from isogloss.validator.captures.yaml_keys import CollectionKey
from isogloss.validator.captures.yaml_places import STYLES, Nodes
from isogloss.validator.captures.yaml_words import TAG, plain_words, word
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["BINARY", "yaml_documents"]

BINARY = "base64_string"
"""A `!!binary` scalar becomes an object with this member, its base64 text, as Ruby VCR and Betamax write it."""

_DEEPEST = 200
_MOST_NODES = 1_000_000
_MOST_COPIED = 50_000
_LEAST_LIMIT = 1 << 24
_STYLES = {style: number for number, style in enumerate(STYLES)}


class _Open(NamedTuple):
    """A collection under way."""

    mapping: bool
    start: int
    anchor: str | None


def yaml_documents(text: Text) -> Iterator[Text]:
    """The documents of a YAML text, as JSON texts derived from it.

    Raises :class:`Unreadable` where the YAML ends to be YAML, for what JSON cannot hold, and beyond the budget.
    """
    import yaml  # some 20 ms, which who reads no YAML need not pay

    data = text.data.removeprefix(b"\xef\xbb\xbf")
    try:
        events = iter(getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data).get_event, None)
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                writer = _Writer(yaml, limit=max(_LEAST_LIMIT, 4 * len(data)))
                writer.write(events)
                yield _derived(bytes(writer.out), text, writer.nodes, len(text.data) - len(data))
    except yaml.YAMLError as error:
        raise Unreadable(f"not YAML: {_why(error, data)}") from error


def _why(error: Any, data: bytes) -> str:
    """Return the message of PyYAML; a ``ReaderError`` has an offset, other errors have marks."""
    position = getattr(error, "position", None)
    if position is not None:
        line = data.count(b"\n", 0, position) + 1
        return f"line {line}: {error.reason}"
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"{where}{getattr(error, 'problem', None) or 'it cannot be read'}"


class _Writer:
    """The JSON text of one document under way."""

    def __init__(self, yaml: Any, *, limit: int) -> None:
        self.out = bytearray()
        self.nodes = Nodes()
        self._yaml = yaml
        self._word = plain_words(yaml)
        self._limit = limit
        self._open: list[_Open] = []
        self._mapping = False  # whether the innermost of them is one
        self._counts: list[int] = []  # of the nodes that each open collection holds; keys and values both count
        self._copied = 0  # nodes
        self._anchors: dict[str, tuple[int, int]] = {}
        self._key: CollectionKey | None = None

    def write(self, events: Iterator[Any]) -> None:
        """Write the JSON of the events of PyYAML, up to the end of the document."""
        scalar, end = self._yaml.ScalarEvent, self._yaml.DocumentEndEvent
        begin, word_of, nodes, out = self._begin, self._word, self.nodes, self.out
        for event in events:
            kind = type(event)
            if kind is scalar and self._key is None:
                key = self._mapping and not self._counts[-1] & 1
                start = begin()
                if event.style or key or event.tag is not None or not event.implicit[0]:
                    self._scalar(event, start, key=key)
                else:  # as most are, and as fast as they are parsed
                    nodes.offsets.append(start)
                    nodes.starts.append(event.start_mark.index)
                    nodes.ends.append(event.end_mark.index)
                    nodes.styles.append(0)
                    out += word_of(event.value) or orjson.dumps(event.value)
                if event.anchor is not None:
                    self._end(start, event.anchor)
            elif kind is end:
                return
            else:
                self._take(event)

    def _take(self, event: Any) -> None:
        kind = type(event)
        if self._key is not None:
            if self._key.take(event):
                self._end_key(self._key)
        elif kind is self._yaml.MappingStartEvent or kind is self._yaml.SequenceStartEvent:
            if self._at_key():
                self._key = CollectionKey(event)
                return
            if len(self._open) >= _DEEPEST:
                raise Unreadable(f"line {event.start_mark.line + 1}: nested more than {_DEEPEST} deep")
            start = self._begin()
            self._mapping = kind is self._yaml.MappingStartEvent
            index = event.start_mark.index
            self.nodes.add(start, index, index)
            self.out += b"{" if self._mapping else b"["
            self._open.append(_Open(self._mapping, start, event.anchor))
            self._counts.append(0)
        elif kind is self._yaml.MappingEndEvent or kind is self._yaml.SequenceEndEvent:
            done = self._open.pop()
            self._counts.pop()
            self._mapping = bool(self._open) and self._open[-1].mapping
            self.out += b"}" if done.mapping else b"]"
            self._end(done.start, done.anchor)
        elif kind is self._yaml.AliasEvent:
            self._alias(event)

    def _end_key(self, key: CollectionKey) -> None:
        """Write the key that a collection represents, in place of all of it."""
        self._key = None
        first = key.first
        if first is not None and type(first).__name__ == "AliasEvent":
            self._alias(first)
            return
        start = self._begin()
        if first is None:
            self.out += b'""'
        else:
            self._scalar(first, start, key=True)
        for anchor in key.anchors:
            self._end(start, anchor)

    def _at_key(self) -> bool:
        return self._mapping and not self._counts[-1] & 1

    def _begin(self) -> int:
        """Begin a node behind what separates it from the one before; gives its offset. Raises :class:`Unreadable`."""
        if len(self.out) > self._limit or len(self.nodes.offsets) > _MOST_NODES:
            raise Unreadable(
                f"more than {_MOST_NODES:,} nodes, or aliases that expand to far more than what is written"
            )
        counts = self._counts
        if counts:
            count = counts[-1]
            if count:
                self.out += b":" if self._mapping and count & 1 else b","
            counts[-1] = count + 1
        return len(self.out)

    def _end(self, start: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (start, len(self.out))

    def _scalar(self, event: Any, start: int, *, key: bool) -> None:
        span = event.start_mark.index, event.end_mark.index
        tag = event.tag
        if not key and (tag == f"{TAG}binary" or tag == "!binary"):
            self.out += b'{"%s":' % BINARY.encode()
            self.nodes.add(start, *span)
            self.nodes.add(len(self.out), *span, _STYLES.get(event.style, 0))
            self.out += orjson.dumps(event.value) + b"}"
            return
        written = None
        if not key and tag and tag.startswith(TAG):
            written = word(event.value, tag)
        self.nodes.add(start, *span, _STYLES.get(event.style, 0))
        self.out += orjson.dumps(event.value) if written is None else written

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors or any(one.anchor == event.anchor for one in self._open):
            raise Unreadable(f"line {event.start_mark.line + 1}: an alias of what is not there yet")
        start, end = self._anchors[event.anchor]
        if self._at_key() and self.out[start : start + 1] != b'"':
            raise Unreadable(f"line {event.start_mark.line + 1}: a key that is no scalar")
        first, last = (bisect_left(self.nodes.offsets, offset) for offset in (start, end))
        self._copied += last - first
        if len(self.out) + end - start > self._limit or self._copied > _MOST_COPIED:
            raise Unreadable("aliases that expand to far more than what is written")
        here = self._begin()
        self.nodes.copy(first, last, here - start)
        self.out += self.out[start:end]
        self._end(here, None)


def _derived(json: bytes, text: Text, nodes: Nodes, skipped: int) -> Text:
    return Text.derived(mask(json), text, lambda: nodes.segments(json, text.data, skipped))
