"""Read what PHP prints of a decoded payload with ``var_dump`` as JSON.

``array(1) { ["id"]=> string(10) "chatcmpl-1" }`` has the types of all values and the lengths of texts, so it has the
values that were sent. Only an array without items may have been an object, unless the objects are of ``stdClass``: a
word in brackets stands in its place, as for a value that a recorder overwrote. ``print_r`` is not read: it prints null,
false and an empty string alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from isogloss.validator.captures.capture import substituted
from isogloss.validator.decode import decode_json
from isogloss.validator.secrets import mask
from isogloss.validator.text import SegmentPairs, Text

__all__ = ["begins_with_dump", "dumps_in", "may_hold_dumps"]

_OPEN = rb"(?:array\((?P<items>\d{1,6})\)|object\(stdClass\)\#\d{1,9}\ \((?P<names>\d{1,6})\))\ \{"
_START = rb"(?m:^)[ \t]*" + _OPEN + rb'\s*\["'
"""How a dump of an object begins. Before it stands nothing: in a program, a function would."""
_TOKEN = (
    rb"(?x)\s*+(?:(?P<open>"
    + _OPEN
    + rb""")
    | (?P<close> \} )
    | \[ (?: "(?P<name> [^"\\\x00-\x1f]*+ )" | (?P<number> \d{1,19} ) ) \]=>
    | string\( (?P<length> \d{1,9} ) \)\ "
    | (?: int\( (?P<int> -?\d{1,19} ) | float\( (?P<float> -?\d{1,25}(?:\.\d{1,25})?(?:E[+-]?\d{1,3})? )
        | bool\( (?P<bool> true | false ) ) \)
    | (?P<null> NULL )
    )"""
)
_END_OF_STRING = rb'"(?=\s*+(?:\[[^\]\n]{1,100}\]=>|\}))'
"""The end of a string whose length is wrong: a page may show other bytes than PHP printed."""
_ESCAPED = rb'["\\\x00-\x1f]'
_CHOICES = b'["choices"]=>'
_LIST_OR_OBJECT = b'"[list or object]"'


def may_hold_dumps(data: bytes) -> bool:
    """Return whether bytes may hold a dump of an answer. This takes little time."""
    return _CHOICES in data


def begins_with_dump(data: bytes) -> bool:
    """Return whether a text begins with what PHP dumps of an object."""
    return re.match(rb"\s*+" + _START, data) is not None


def dumps_in(text: Text) -> Iterator[Text]:
    """Yield the objects that PHP dumped in a text, outermost ones alone, each as the text of JSON."""
    position, start = 0, re.compile(_START)
    while match := start.search(text.data, position):
        written, segments = bytearray(), SegmentPairs()
        position = max(_translate(text.data, match.start(), written, segments), match.end())
        if decode_json(bytes(written)) is not None:
            yield Text.derived(mask(bytes(written)), text, segments)


def _translate(data: bytes, start: int, written: bytearray, segments: SegmentPairs) -> int:
    """Write the JSON of the dump at an offset, and return where reading ended. If it is no whole dump, it is no JSON.

    The last brackets may be missing, as pages lose them, if the numbers of items say that nothing else is.
    """
    token = re.compile(_TOKEN)
    brackets: list[bytes] = []
    missing: list[int] = []  # how many items of each of them have not come yet
    position, has_classes = start, False
    while match := token.match(data, position):
        kind, position = match.lastgroup or "", match.end()
        begin = match.start("name") - 1 if kind == "name" else position - 1 if kind == "length" else match.start(kind)
        segments.add(len(written), begin)
        if kind == "open":
            has_classes = has_classes or match["names"] is not None
            missing.append(int(match["names"] or match["items"]))
            brackets.append(_bracket(data, match, has_classes=has_classes))
            written += brackets[-1]
        elif kind == "name":
            written += b'"%b":' % match["name"]
            missing[-1] -= 1
        elif kind == "number":
            written += b"" if brackets[-1] == b"[" else b'"%b":' % match["number"]
            missing[-1] -= 1
        elif kind == "close":
            if missing[-1]:
                break
            missing.pop()
            _close(written, brackets.pop())
            if not brackets:
                return position
            written += b","
        elif kind == "length":
            position = _write_string(data, position, int(match["length"]), written, segments)
            written += b","
        else:
            written += match[kind].lower() + (b".0," if kind == "float" and match[kind].isdigit() else b",")
    if not any(missing) and not data[position:].strip():
        while brackets:
            _close(written, brackets.pop())
    return position


def _bracket(data: bytes, opened: re.Match[bytes], *, has_classes: bool) -> bytes:
    """Return what a list or an object begins with in JSON, or a string if nobody knows which of them is empty."""
    if opened["names"] is None and not int(opened["items"]) and not has_classes:
        return _LIST_OR_OBJECT
    return b"[" if opened["names"] is None and re.compile(rb"\s*(?:\[0\]=>|\})").match(data, opened.end()) else b"{"


def _close(written: bytearray, bracket: bytes) -> None:
    """Write what a list or an object ends with in JSON in place of the comma behind its last item."""
    if written.endswith(b","):
        del written[-1:]
    written += b"" if bracket == _LIST_OR_OBJECT else b"]" if bracket == b"[" else b"}"


def _write_string(data: bytes, start: int, length: int, written: bytearray, segments: SegmentPairs) -> int:
    """Write a string of so many bytes as JSON, and return the offset behind its last quote."""
    end = start + length
    if not re.compile(rb'"\s*+(?:[\[}]|\Z)').match(data, end):
        found = re.compile(_END_OF_STRING).search(data, start)
        if found is None:
            return len(data)
        end = found.start()
    written += b'"'
    for offset, part in substituted(data, _ESCAPED, lambda one: b"\\u%04x" % one[0][0], start, end):
        segments.add(len(written), offset)
        written += part
    written += b'"'
    return end + 1
