"""Read XML as JSON: each element becomes an object, a string or a list, and each text has its place in the XML.

An element without others in it is the string of its text. Any other is an object, with its attributes and the elements
in it by their names; those with the same name are a list. Where a name is that of an attribute and of an element, the
element counts. An attribute stands where its element begins. So recordings in XML are read as those in JSON are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias
from xml.parsers import expat

import orjson
from msgspec import Struct, field

from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.secrets import mask
from isogloss.validator.text import SegmentPairs, Text

__all__ = ["xml_as_json"]

_DEEPEST = 200
_MOST_ELEMENTS = 1_000_000
_SPECIAL = r'(["\\\x00-\x1f])'
"""A character that JSON writes in another way."""

_Parts: TypeAlias = list[tuple[int, str]]
"""The parts of a text, each with the offset of it in the XML. Each reference and each line end is a part."""


class _Element(Struct, eq=False):
    """An element: the values of its attributes and the elements in it, by their names, and the parts of its text."""

    attributes: dict[str, _Parts]
    inner: dict[str, list[_Element | _Parts]] = field(default_factory=dict)
    text: _Parts = field(default_factory=list)


def xml_as_json(text: Text) -> Text:
    """Return the JSON of an XML document, derived from it. Raises :class:`Unreadable` for what is not XML.

    A document may end before its elements do, as that of a program which was stopped.
    """
    written, segments = bytearray(), SegmentPairs()
    _write(written, segments, _parse(text))
    return Text.derived(mask(bytes(written)), text, segments)


def _parse(text: Text) -> _Element:
    """Return an element that holds the root of the document. An editor may have put blank lines before it."""
    document = text.data.lstrip()
    before = len(text.data) - len(document)
    outermost = _Element({})
    open_elements = [outermost]
    parser = expat.ParserCreate("UTF-8")
    count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_ELEMENTS or len(open_elements) > _DEEPEST:
            raise Unreadable(f"more than {_MOST_ELEMENTS:,} elements, or more than {_DEEPEST} deep")
        at = before + parser.CurrentByteIndex
        element = _Element({key: [(at, value)] for key, value in attributes.items()})
        open_elements[-1].inner.setdefault(name, []).append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        open_elements.pop()

    def add_text(part: str) -> None:
        open_elements[-1].text.append((before + parser.CurrentByteIndex, part))

    def refuse(*_: object) -> None:
        raise Unreadable("XML with entities of its own")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = add_text, refuse
    try:
        parser.Parse(document, False)
    except expat.ExpatError as error:
        place = text.place(before + parser.ErrorByteIndex)
        reason = expat.ErrorString(error.code)
        raise Unreadable(f"not XML: line {place.line}, column {place.column}: {reason}") from error
    return outermost


def _write(written: bytearray, segments: SegmentPairs, root: _Element) -> None:
    """Write the JSON of an element, part by part, and add where each part of a string stands."""
    rest: list[bytes | _Element | _Parts] = [root]
    while rest:
        part = rest.pop()
        if isinstance(part, bytes):
            written += part
        elif isinstance(part, list):
            _write_string(written, segments, part)
        elif part.inner:
            rest += reversed([b"{", *_joined(_members(part)), b"}"])
        else:
            rest.append(_leaf(part))


def _members(element: _Element) -> Iterator[list[bytes | _Element | _Parts]]:
    named: dict[str, list[_Element | _Parts]] = {name: [value] for name, value in element.attributes.items()}
    named |= element.inner
    if any(part.strip() for _, part in element.text):
        named.setdefault("#text", [element.text])
    for name, values in named.items():
        key = orjson.dumps(name) + b":"
        items = list(_joined([value] for value in values))
        yield [key, *items] if len(values) == 1 else [key + b"[", *items, b"]"]


def _joined(members: Iterable[list[bytes | _Element | _Parts]]) -> Iterator[bytes | _Element | _Parts]:
    for number, member in enumerate(members):
        if number:
            yield b","
        yield from member


def _leaf(element: _Element) -> _Element | _Parts:
    """Return the text of an element without others in it, or an object with its encoding, if it names one."""
    encoding = element.attributes.get("encoding")
    if encoding is None or not element.text:
        return element.text
    return _Element({}, {"encoding": [encoding], "text": [element.text]})


def _write_string(written: bytearray, segments: SegmentPairs, parts: _Parts) -> None:
    written += b'"'
    for offset, part in parts:
        for piece in re.split(_SPECIAL, part):
            segments.add(len(written), offset)
            written += orjson.dumps(piece)[1:-1]
            offset += len(piece.encode())
    written += b'"'
