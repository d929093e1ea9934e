"""Read JSON strings: decode them, and find where each of their characters is written."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Final, TypeAlias

import orjson

from isogloss.validator.quoting import count_of
from isogloss.validator.text import SegmentPairs, bad_runs, bad_utf8

__all__ = ["MOST_FAULTS", "Report", "ignore", "read_string"]

Report: TypeAlias = Callable[[str, int, str], None]
"""Takes the rule, the offset and the message of a fault."""


def ignore(rule: str, offset: int, message: str) -> None:
    """Do not report a fault, because it was reported before."""


MOST_FAULTS: Final = 20
"""How many faults of one rule are reported in one text, at most: a binary file must not fill a report."""

_LONG = 1 << 16
"""In more bytes than these without an escape, damage is not reported character by character."""

_WHOLE = re.compile(rb'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NO_ESCAPE = "no escape begins with this character"
_WRONG_ESCAPES = re.compile(rb"(?:\\[ac-eg-mo-qsv-zA-Z0-9])++")
_CONTROL = re.compile(rb"[\x00-\x1f]")
_CONTROLLED = re.compile(rb'[\x00-\x1f][^"\\\x80-\xff]*+')
"""A control character, and the ASCII characters after it up to the next one with a special meaning."""
_BAD = re.compile("[\udc80-\udcff]+")
_SPECIAL = re.compile(rb'["\\\x00-\x1f]')
_ESCAPES = {b'"': '"', b"\\": "\\", b"/": "/", b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}
_UNIT = re.compile(rb"\\u([0-9a-fA-F]{4})")
_LOW_UNIT = re.compile(rb"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_CUT_UNIT = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def read_string(data: bytes, start: int, report: Report, segments: SegmentPairs | None = None) -> tuple[str, int, bool]:
    """Decode the string whose first character, after the quote, is at `start`.

    Return the string, the offset after its closing quote, and whether there was one. Add to `segments`.
    """
    if segments is None and (whole := _WHOLE.match(data, start)):
        with suppress(orjson.JSONDecodeError):  # the string has faults, which are reported below
            return orjson.loads(data[start - 1 : whole.end()]), whole.end(), True
    parts: list[str] = []
    size = 0

    def put(part: str, at: int) -> None:
        nonlocal size
        parts.append(part)
        if segments is not None:
            segments.add(size, at)
            size += len(part) if part.isascii() else len(part.encode())

    position = start
    while True:
        special = _SPECIAL.search(data, position)
        end = special.start() if special else len(data)
        if end > position:
            _put_raw(data, position, end, put, report)
        if special is None:
            return "".join(parts), end, False
        if data[end] == 0x22:
            return "".join(parts), end + 1, True
        if data[end] == 0x5C and segments is None and (wrong := _WRONG_ESCAPES.match(data, end)):
            for offset in range(end, wrong.end(), 2)[:MOST_FAULTS]:
                report("json-syntax", offset, _NO_ESCAPE)
            put(wrong[0].replace(b"\\", b"").decode(), end)
            position = wrong.end()
        elif data[end] == 0x5C:
            position = _put_escape(data, end, put, report)
        else:
            stretch = _CONTROLLED.match(data, end)[0]  # type: ignore[index]  # `end` is at a control character
            for control in islice(_CONTROL.finditer(stretch), MOST_FAULTS):
                message = f"U+{ord(control[0]):04X} stands unescaped in a string"
                report("json-control-character", end + control.start(), message)
            put(stretch.decode(), end)
            position = end + len(stretch)


def _put_raw(data: bytes, start: int, end: int, put: Callable[[str, int], None], report: Report) -> None:
    """Put the characters of `data[start:end]`, where nothing is escaped."""
    try:
        put(data[start:end].decode(), start)
    except UnicodeDecodeError:
        if end - start > _LONG:
            _put_damaged(data, start, end, put, report)
            return
        for bad, after in bad_utf8(data, start, end):
            if bad > start:
                put(data[start:bad].decode(), start)
            _report_run(data, bad, after, report)
            put("\ufffd", bad)
            start = after
        if end > start:
            put(data[start:end].decode(), start)


def _report_run(data: bytes, start: int, end: int, report: Report) -> None:
    """Report a run of bytes that belong to no character, unless the text ends there inside a character."""
    if end == len(data) and _is_cut_character(data[start:end]):
        return  # the string ends here, too, and that is reported
    count = end - start
    report("json-bad-utf8", start, f"{count_of(count, 'byte')} that {'is' if count == 1 else 'are'} not UTF-8")


def _is_cut_character(data: bytes) -> bool:
    try:
        return not codecs.utf_8_decode(data, "strict", False)[1]
    except UnicodeDecodeError:
        return False


def _put_damaged(data: bytes, start: int, end: int, put: Callable[[str, int], None], report: Report) -> None:
    """Put a long stretch that is no UTF-8 at once: a place for each of its runs would take much memory."""
    for bad, after in islice(bad_runs(data, start, end), MOST_FAULTS):
        _report_run(data, bad, after, report)
    put(_BAD.sub("\ufffd", data[start:end].decode(errors="surrogateescape")), start)


def _put_escape(data: bytes, start: int, put: Callable[[str, int], None], report: Report) -> int:
    """Put the character whose escape is at `start`, and return the offset after the escape."""
    character = _ESCAPES.get(data[start + 1 : start + 2])
    if character is not None:
        put(character, start)
        return start + 2
    unit = _UNIT.match(data, start)
    if unit is None:
        if _CUT_UNIT.match(data, start):
            return len(data)  # the string ends here, too, and that is reported
        report("json-syntax", start, _NO_ESCAPE)
        return start + 1
    code = int(unit[1], 16)
    if code & 0xFC00 == 0xD800 and (low := _LOW_UNIT.match(data, start + 6)):
        put(chr(0x10000 + ((code & 0x3FF) << 10) + (int(low[1], 16) & 0x3FF)), start)
        return start + 12
    if code & 0xF800 == 0xD800:
        report("json-lone-surrogate", start, f"the escape of U+{code:04X} is half of a surrogate pair")
        code = 0xFFFD
    put(chr(code), start)
    return start + 6
