"""Read XML as JSON: each element becomes an object, a string or a list, and each text has its place in the XML.

An element without others in it is the string of its text. Any other is an object, with its attributes and the elements
in it by their names; those with the same name are a list. Where a name is that of an attribute and of an element, the
element counts. So recordings in XML are read as those in JSON are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import orjson
from msgspec import Struct, field

from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.rows.row import AS_IS, Quoting
from isogloss.validator.secrets import mask
from isogloss.validator.text import SegmentPairs, Text

__all__ = ["xml_as_json"]

_MARKUP = rb"""(?xs)
      <!-- .*? (?:-->|\Z) | <\? .*? (?:\?>|\Z) | <!DOCTYPE [^<>\[\]]*+ >
    | <!\[CDATA\[ (?P<data> .*? ) (?:\]\]>|\Z)
    | </ (?P<end> [^\s<>/]++ ) \s*+ >
    | < (?P<name> [^\s<>/!?='"]++ ) (?P<attributes> (?: \s++ [^\s<>/='"]++ \s*+ = \s*+ (?: "[^"<]*+" | '[^'<]*+' ) )*+ )
      \s*+ (?P<empty> /? ) >
    | (?P<text> [^<]++ )
"""
_ATTRIBUTE = rb"""(?x) ([^\s='"]++) \s*+ = \s*+ (?: "([^"]*+)" | '([^']*+)' )"""
_REFERENCE = rb"&(?:#(?P<number>\d{1,7})|#x(?P<hex>[\da-fA-F]{1,6})|(?P<entity>quot|amp|lt|gt|apos));"
_ENTITIES = {b"quot": b'\\"', b"amp": b"&", b"lt": b"<", b"gt": b">", b"apos": b"'"}
"""The characters that XML names, as they stand in a JSON string."""
_DEEPEST = 200
_MOST_ELEMENTS = 1_000_000


class _InText(Quoting, frozen=True, eq=False):
    """The text of an element, in which references stand for characters."""

    def escaped(self, special: re.Match[bytes]) -> bytes:
        """Return how JSON writes what the pattern found."""
        if special["entity"]:
            return _ENTITIES[special["entity"]]
        digits = special["number"] or special["hex"]
        if not digits:
            return super().escaped(special)
        code = int(digits, 10 if special["number"] else 16)
        is_character = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        return orjson.dumps(chr(code) if is_character else "\ufffd")[1:-1]


_TEXT = _InText(_REFERENCE + rb'|["\\\x00-\x1f]')
_Span: TypeAlias = tuple[int, int, Quoting]
_Value: TypeAlias = "_Element | list[_Span]"


class _Element(Struct, eq=False):
    """An element: its name, the values in it by their names, and the parts of its text."""

    name: bytes
    attributes: dict[bytes, list[_Value]]
    inner: dict[bytes, list[_Value]] = field(default_factory=dict)
    text: list[_Span] = field(default_factory=list)


def xml_as_json(text: Text) -> Text:
    """Return the JSON of an XML document, derived from it. Raises :class:`Unreadable` for what is not XML."""
    written, segments = bytearray(), SegmentPairs()
    _write(written, segments, text.data, _root(text))
    return Text.derived(mask(bytes(written)), text, segments)


def _root(text: Text) -> _Element:
    """Return the outermost element, which holds the root of the document."""
    data, markup = text.data, re.compile(_MARKUP)
    open_elements = [_Element(b"", {})]
    position = len(data) - len(data.removeprefix(b"\xef\xbb\xbf"))
    count = 0
    while position < len(data):
        match = markup.match(data, position)
        if match is None:
            place = text.place(position)
            raise Unreadable(f"not XML without entities of its own: line {place.line}, column {place.column}")
        position, element = match.end(), open_elements[-1]
        if match["text"] is not None:
            element.text.append((*match.span("text"), _TEXT))
        elif match["data"] is not None:
            element.text.append((*match.span("data"), AS_IS))
        elif match["end"] is not None:
            if len(open_elements) == 1 or element.name != match["end"]:
                raise Unreadable(f"line {text.place(match.start()).line}: not XML: another element ends")
            open_elements.pop()
        elif match["name"] is not None:
            count += 1
            if count > _MOST_ELEMENTS or len(open_elements) > _DEEPEST:
                raise Unreadable(f"more than {_MOST_ELEMENTS:,} elements, or more than {_DEEPEST} deep")
            inner = _Element(match["name"], dict(_attributes(data, *match.span("attributes"))))
            element.inner.setdefault(inner.name, []).append(inner)
            if not match["empty"]:
                open_elements.append(inner)
    return open_elements[0]


def _attributes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, list[_Value]]]:
    for match in re.compile(_ATTRIBUTE).finditer(data, start, end):
        yield match[1], [[(*match.span(3 if match[2] is None else 2), _TEXT)]]


def _write(written: bytearray, segments: SegmentPairs, data: bytes, root: _Element) -> None:
    """Write the JSON of an element, part by part, and add where each part of a string stands."""
    rest: list[bytes | _Value] = [root]
    while rest:
        part = rest.pop()
        if isinstance(part, bytes):
            written += part
        elif isinstance(part, list):
            _write_string(written, segments, data, part)
        elif part.inner:
            rest += reversed([b"{", *_joined(_members(data, part)), b"}"])
        else:
            rest.append(_leaf(data, part))


def _members(data: bytes, element: _Element) -> Iterator[list[bytes | _Value]]:
    named = {name: values for name, values in element.attributes.items() if name not in element.inner} | element.inner
    if any(data[start:end].strip() for start, end, _ in element.text):
        named.setdefault(b"#text", [element.text])
    for name, values in named.items():
        key = orjson.dumps(name.decode("utf-8", "replace")) + b":"
        items = list(_joined([value] for value in values))
        yield [key, *items] if len(values) == 1 else [key + b"[", *items, b"]"]


def _joined(members: Iterable[list[bytes | _Value]]) -> Iterator[bytes | _Value]:
    for number, member in enumerate(members):
        if number:
            yield b","
        yield from member


def _leaf(data: bytes, element: _Element) -> _Value:
    """Return the text of an element without others in it, or an object with its encoding, if it names one."""
    encoding = element.attributes.get(b"encoding")
    if encoding is None or not element.text:
        return element.text
    return _Element(element.name, {}, {b"encoding": encoding, b"text": [element.text]})


def _write_string(written: bytearray, segments: SegmentPairs, data: bytes, spans: list[_Span]) -> None:
    written += b'"'
    for start, end, quoting in spans:
        position = start
        segments.add(len(written), start)
        for special in re.compile(quoting.specials).finditer(data, start, end):
            written += data[position : special.start()]
            segments.add(len(written), special.start())
            written += quoting.escaped(special)
            position = special.end()
            segments.add(len(written), position)
        written += data[position:end]
    written += b'"'
