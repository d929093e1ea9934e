"""Read a JSON text for its faults and positions. This is slow next to orjson, so it is done only if needed.

The grammar is RFC 8259, as strict as orjson reads it. After a fault the scan continues where it safely can, so that one
report names all faults. Nothing here is recursive, and the time is linear in the length of the text.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from functools import lru_cache
from typing import Final, NamedTuple

from isogloss.validator.jsontext.missing import MISSING
from isogloss.validator.jsontext.places import Places
from isogloss.validator.jsontext.regular import COLON, DONE, KEY, MAX_DEPTH, NEXT, RULES, VALUE, Reader
from isogloss.validator.jsontext.strings import MOST_FAULTS, Report, read_string
from isogloss.validator.jsontext.walk import Walk
from isogloss.validator.pointer import Pointer
from isogloss.validator.quoting import quote_name
from isogloss.validator.text import Text

__all__ = ["Fault", "Scan", "places", "places_of", "scan"]

_MOST_SYNTAX_FAULTS = 1000
"""After this many syntax faults, the rest of a text is not read: whatever it is, it is not JSON."""
_MAX_UNREAD = 1000
_DOTS = rb"(?:(?://|\#|/\*)\s*+)?(?:\.{2,}|\xe2\x80\xa6)|-?\d{1,20}(?:\.{3}|\xe2\x80\xa6)(?!\d)"
"""What stands in place of a part that is left out: dots, also in a comment, or behind the first digits of a number."""


class Fault(NamedTuple):
    """A place where a text is not JSON, or is JSON that readers disagree about."""

    rule: str
    """The rule's name: `json-syntax`, `json-truncated`, `json-duplicate-key`, …"""
    offset: int
    """The offset of the fault in bytes: the length of the text if something is missing at its end."""
    message: str


class Scan(Places):
    """The values of a text and their places.

    `value` is the decoded value, recovered as far as possible, or `MISSING`. Of duplicate keys, the last one counts.
    Bytes that are no character become U+FFFD. A number that exceeds a double, or a word in place of a number, like NaN,
    becomes null, and its pointer is in `unread`. `faults` are in the order of the text, at most 20 for each rule.
    """

    __slots__ = ("_open", "faults", "unread", "value")

    def __init__(self, data: bytes) -> None:
        """Make an empty scan, for `scan` to fill."""
        super().__init__(data)
        self.value: object = MISSING
        self.faults: list[Fault] = []
        self.unread: set[Pointer] = set()
        self._open: frozenset[int] = frozenset()  # nodes of the containers that were open when the scan ended

    @property
    def elided(self) -> bool:
        """Whether a part of the text is left out, with dots in its place, as in ``[...]``."""
        begins_with_dots = re.compile(_DOTS).match
        return any(fault.rule == "json-syntax" and begins_with_dots(self._data, fault.offset) for fault in self.faults)

    def cut(self, pointer: tuple[str | int, ...]) -> bool:
        """Return whether the reading ended inside the object or array at `pointer`.

        If so, values that are missing there may have stood behind that end.
        """
        if not self._open:
            return False
        found = self._find(pointer)
        return found.exact and found.node in self._open


# Numbers and names --------------------------------------------------------------------------------------------

_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)((?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_CUT_NUMBER = re.compile(rb"-?+(?:(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?))?")
_CUT = "the text ends inside a value"
_NAMES: dict[bytes, object] = {b"true": True, b"false": False, b"null": None}
_NOT_NUMBERS = (b"NaN", b"Infinity", b"-Infinity")
_UNREAD: Final = object()
"""The value of a word in place of a number that cannot be read."""


def _read_word(word: bytes, start: int, report: Report, *, last: bool) -> object:
    """Return the value of an unquoted word, or `MISSING` if it has none. Report what is wrong with the word.

    The value is `_UNREAD` if the word is in place of a number that cannot be read. `last` says that the text ends with
    the word.
    """
    number = _NUMBER.fullmatch(word)
    if number is not None:
        value = float(word)
        if math.isinf(value):
            report("json-number-too-large", start, "the number exceeds what a double holds")
            return _UNREAD
        return value if number[1] else int(word)
    if word in _NAMES:
        return _NAMES[word]
    if word in _NOT_NUMBERS:
        report("json-not-a-number", start, f"JSON has no {word.decode()}")
        return _UNREAD
    if last and (_CUT_NUMBER.fullmatch(word) or any(name.startswith(word) for name in (*_NAMES, *_NOT_NUMBERS))):
        report("json-truncated", start + len(word), _CUT)
        return MISSING
    report("json-syntax", start, "neither a number nor true, false or null")
    try:
        value = float(word)  # 01, +1, .5 and 1. have the value that their writer meant
    except ValueError:
        return MISSING
    if not math.isfinite(value):
        return MISSING
    if not word.lstrip(b"+-").isdigit():
        return value
    digits = int(word.lstrip(b"+-0") or b"0")  # Python converts at most 4300 digits, and counts the zeros
    return -digits if word.startswith(b"-") else digits


# Structure ----------------------------------------------------------------------------------------------------

_TOKEN = re.compile(rb'[ \t\r\n]*+(?:"([^"\\\x00-\x1f]*+)"|([\[\]{},:])|([-+.\w$]++)|("))', re.ASCII)
_SPACE = re.compile(rb"[ \t\r\n]*+")
_SIMPLE, _MARK, _WORD = 1, 2, 3  # groups of _TOKEN; the fourth is the start of any other string
_EXTRA = "the value ends before this"


@lru_cache(maxsize=1)  # a text that is no JSON is scanned twice: to read it, and to report its faults
def scan(data: bytes) -> Scan:
    """Read a JSON text for its faults and positions. Never raises.

    A text that orjson reads has no fault except `json-duplicate-key`. A text that orjson refuses has another fault.
    """
    scanner = _Scanner(data)
    scanner.run()
    return scanner.scan


def places(data: bytes, *, sound: bool) -> Places | Walk:
    """Return the places of a text: found by walking to them if it is known to be sound, else by :func:`scan`."""
    return Walk(data) if sound else scan(data)


def places_of(text: Text, *, sound: bool) -> Places | Walk:
    """Return the places of a text, as :func:`places` does.

    They are read once for all exchanges in the text, and kept with it.
    """
    known: dict[bool, Places | Walk] | None = text.places
    if known is None:
        known = text.places = {}
    if sound not in known:
        known[sound] = places(text.data, sound=sound)
    return known[sound]


class _Scanner(Reader):
    """The state of one scan. It reports everything that is not regular."""

    def __init__(self, data: bytes) -> None:
        self.scan = Scan(data)
        super().__init__(data, self.scan)
        self.counts: dict[str, int] = {}

    def report(self, rule: str, offset: int, message: str) -> None:
        count = self.counts[rule] = self.counts.get(rule, 0) + 1
        if count <= MOST_FAULTS:
            self.scan.faults.append(Fault(rule, offset, message))
        elif rule in RULES and (rule == RULES[0] or len(self.scan.unread) >= _MAX_UNREAD):
            self.unreported.add(rule)

    def run(self) -> None:
        data, position = self.data, 0
        if data.startswith(b"\xef\xbb\xbf"):
            self.report("json-byte-order-mark", 0, "the text begins with a byte order mark")
            position = 3
        while position >= 0 and self.counts.get("json-syntax", 0) < _MOST_SYNTAX_FAULTS:
            position = self.regular(position)
            token = _TOKEN.match(data, position)
            if token is None:
                self.report_no_token(_SPACE.match(data, position).end())  # type: ignore[union-attr]
                break
            kind = token.lastindex
            start, position = token.start(kind or 0), token.end()
            if kind == _SIMPLE:
                start -= 1
            if self.expected == DONE:
                self.report("json-extra-data", start, _EXTRA)
                break
            if kind == _MARK:
                may_go_on = self.take_mark(data[start], start)
            elif kind == _WORD:
                may_go_on = self.may_begin(start, string=False) and self.take_word(token[_WORD], start)
            else:
                self.may_begin(start, string=True)
                position = self.take_string(token[_SIMPLE], start, position)
                may_go_on = True
            if not may_go_on:
                break
        self.scan._open = frozenset(self.nodes)
        for node in self.nodes:
            self.scan._ends[node] = len(self.scan._starts)

    def report_no_token(self, offset: int) -> None:
        if offset < len(self.data):
            done = self.expected == DONE
            rule, message = ("json-extra-data", _EXTRA) if done else ("json-syntax", "JSON does not begin with this")
            self.report(rule, offset, message)
        elif self.expected != DONE:
            empty = not self.scan._starts and not self.scan.faults
            self.report("json-truncated", offset, "there is no value" if empty else _CUT)

    def may_begin(self, start: int, *, string: bool) -> bool:
        """Return whether a value or key may come at `start`. First report a comma or colon missing before it."""
        if self.expected == NEXT:
            self.report("json-syntax", start, "a comma is missing before this")
            self.expected = KEY if type(self.open[-1]) is dict else VALUE
        elif self.expected == COLON:
            self.report("json-syntax", start, "a colon is missing before this")
            self.expected = VALUE
        if self.expected == KEY and not string:
            self.report("json-syntax", start, "a key is a string in double quotes")
            return False
        return True

    def take_word(self, word: bytes, start: int) -> bool:
        value = _read_word(word, start, self.report, last=start + len(word) == len(self.data))
        if value is _UNREAD:
            value = None
            if len(self.scan.unread) < _MAX_UNREAD:
                self.scan.unread.add((*self.steps, self.next_step()) if self.open else ())
        if value is not MISSING:
            self.add(value, start)
        return value is not MISSING

    def next_step(self) -> str | int:
        """Return the key or index of the next value in the innermost open container."""
        top = self.open[-1]
        return self.key if isinstance(top, dict) else len(top)

    def take_string(self, simple: bytes | None, start: int, position: int) -> int:
        """Take the string at `start` as a key or a value. Return the offset after it, or -1 if it has no end."""
        text, closed = None, True
        if simple is not None:
            with suppress(UnicodeDecodeError):
                text = simple.decode()
        if text is None:
            text, position, closed = read_string(self.data, start + 1, self.report)
        if self.expected == VALUE:
            self.add(text, start)
        elif closed:
            if self.first_offset(text, start) != start:
                self.report("json-duplicate-key", start, f"the object has {quote_name(text)} twice")
            self.key, self.key_offset, self.expected, self.comma = text, start, COLON, -1
        if not closed:
            self.report("json-truncated", len(self.data), "the text ends inside a string")
            return -1
        return position

    def first_offset(self, key: str, start: int) -> int:
        """Return the offset of the first occurrence of a key in the innermost open object.

        ``start`` is the offset of this occurrence, which may be the first.
        """
        keys = self.keys[-1]
        if key not in keys:
            known = self.scan.key_in_run(self.nodes[-1], key) if key in self.open[-1] else None
            keys[key] = start if known is None else known
        return keys[key]

    def take_mark(self, mark: int, start: int) -> bool:
        """Take one of `[{}]:,`, and return whether to go on."""
        if mark in b"[{":
            return self.may_begin(start, string=False) and self.open_container(mark, start)
        if mark in b"]}" and self.open and (type(self.open[-1]) is dict) == (mark == 0x7D):
            if self.comma >= 0:
                self.report("json-trailing-comma", self.comma, "nothing follows this comma")
            elif self.key_offset >= 0:
                self.report("json-syntax", start, "the value of the key before this is missing")
            self.close_container()
            return True
        if mark == 0x2C and self.open:
            if self.expected in (VALUE, KEY) and self.key_offset < 0:
                self.report("json-syntax", start, "there is nothing before this comma")
            elif self.expected != NEXT:
                self.report("json-syntax", start, "the value of the key before this is missing")
            self.expected = KEY if type(self.open[-1]) is dict else VALUE
            self.comma, self.key_offset = start, -1
            return True
        if mark == 0x3A and self.expected == COLON:
            self.expected = VALUE
            return True
        self.report("json-syntax", start, f"{chr(mark)} cannot stand here")
        return False

    def open_container(self, mark: int, start: int) -> bool:
        if len(self.open) == MAX_DEPTH:
            self.report("json-too-deep", start, f"more than {MAX_DEPTH} containers are open here")
            return False
        container: dict[str, object] | list[object] = {} if mark == 0x7B else []
        self.nodes.append(len(self.scan._starts))
        self.keys.append({})
        if self.open:
            self.steps.append(self.next_step())
        self.add(container, start)
        self.open.append(container)
        self.expected = KEY if mark == 0x7B else VALUE
        return True

    def close_container(self) -> None:
        self.open.pop()
        self.keys.pop()
        if self.steps:
            self.steps.pop()
        self.scan._ends[self.nodes.pop()] = len(self.scan._starts)
        self.comma = self.key_offset = -1
        self.expected = NEXT if self.open else DONE

    def add(self, value: object, start: int) -> None:
        """Put a value into the innermost open container, or take it as the value of the text if none is open."""
        scan = self.scan
        scan._starts.append(start)
        scan._keys.append(self.key_offset)
        scan._ends.append(len(scan._starts))
        self.comma = self.key_offset = -1
        if not self.open:
            scan.value = value
            self.expected = DONE
            return
        top = self.open[-1]
        if isinstance(top, dict):
            top[self.key] = value
        else:
            top.append(value)
        self.expected = NEXT
