"""Find the payloads in lines of logs that a JSON document holds as strings.

Docker, Loki, CloudWatch, Google Cloud Logging, OpenTelemetry and others keep what a program printed as such strings. A
string is a line of a log if two of three things say so: the name of its property; a time or a level beside it, or
beside an object around it; and the time or the level that the string itself begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from isogloss.validator.captures.bodies.objects import objects_in, payload_on_line
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.structures.objects.halves import is_of_log
from isogloss.validator.captures.structures.values import holds_exchange
from isogloss.validator.captures.texts.log_entries import begins_as_log
from isogloss.validator.decode import Decoded, decode_json
from isogloss.validator.kinds import kind_of
from isogloss.validator.pointer import Pointer, read
from isogloss.validator.text import Text

__all__ = ["LoggedText", "holds_lines", "is_plain_line", "logged_in"]

_NAMES = frozenset({
    "log", "message", "msg", "textPayload", "line", "@message", "short_message", "_raw", "MESSAGE", "event", "@m",
    "stringValue",
})  # fmt: skip
"""Names under which the records of logs have what was printed."""
_OF_PAYLOADS = ("choices", "messages", "error")
_MOST_AROUND = 3
"""Beside so many objects and arrays around a string, a time or a level counts."""
_MOST_IN_RECORD = 64
"""An object or an array with more properties or items is no record of a log."""
_DEEPEST = 12
_LONGEST_BEGINNING = 200
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,+Z -]{0,30}(?:UTC)?|1[4-9]\d{8}(?:\d{3}){0,3}(?:\.\d{1,9})?")
"""A date with a time, or the number of a moment."""
_FIRST_SECOND, _LAST_SECOND = 1_400_000_000, 2_000_000_000
"""A number from here to there is a moment of the years 2014 to 2033, or a thousand, a million, a billion times this."""
_LEVELS = frozenset({
    "trace", "debug", "info", "information", "notice", "warn", "warning", "error", "err", "fatal", "critical",
})  # fmt: skip


class LoggedText(NamedTuple):
    """The text of a payload or of a record in a line of a log. ``is_record`` says that it is the whole line."""

    text: Text
    is_record: bool


def holds_lines(value: object) -> bool:
    """Return whether a document holds lines of logs as strings that may have payloads."""
    return next(_places_of_lines(value, (), ()), None) is not None


def is_plain_line(value: object) -> bool:
    """Return whether a record holds a line of a log as a string with a usual name, whatever is in that line."""
    return isinstance(value, dict) and next(_places_of_lines(value, (), (), of_payloads=False), None) is not None


def logged_in(capture: Capture, text: Text, value: object, *, sound: bool) -> list[LoggedText]:
    """Return the payloads and records in the lines of logs that a document holds as strings, in their order.

    If a line is JSON, as programs in containers log it, the whole line is a record. Return nothing if the document
    holds an exchange by itself.
    """
    places = list(_places_of_lines(value, (), ()))
    if not places:
        return []
    document = Document(text, Decoded(value, sound))
    lines = [Node(document, read(value, at), at).text() for at in places]
    found = [one for line in lines if line is not None for one in _found_in(capture, line)]
    return found if found and not holds_exchange(capture, document.root) else []


def _places_of_lines(
    value: Any, at: Pointer, around: tuple[Any, ...], *, of_payloads: bool = True
) -> Iterator[Pointer]:
    """Yield the pointers of the lines of logs in a value: those that may have payloads, or all of them.

    ``around`` holds what stands around the value, from the inside.
    """
    if isinstance(value, dict):
        if _is_body_or_holds_some(value):
            return
        inner: Iterable[tuple[str | int, Any]] = value.items()
    else:
        inner = enumerate(value if isinstance(value, list) else ())
    around = (value, *around[: _MOST_AROUND - 1])
    for step, one in inner:
        if isinstance(one, str):
            may_count = "{" in one and _names_payload(one) if of_payloads else _has_name((*at, step), around)
            if may_count and _is_line(one, (*at, step), around):
                yield (*at, step)
        elif isinstance(one, dict | list) and len(at) < _DEEPEST:
            yield from _places_of_lines(one, (*at, step), around, of_payloads=of_payloads)


def _is_body_or_holds_some(value: dict[str, Any]) -> bool:
    """Return whether an object is a body, or a record with bodies: the strings in it were sent, and not printed."""
    if "choices" in value or "messages" in value:
        return True
    return isinstance(value.get("request"), dict | list) or isinstance(value.get("response"), dict | list)


def _names_payload(string: str) -> bool:
    return any(name in string for name in _OF_PAYLOADS)


def _is_line(string: str, at: Pointer, around: tuple[Any, ...]) -> bool:
    """Return whether a string is a line of a log, from what stands around it. A line beside its time needs no name."""
    signs = [
        _has_name(at, around),
        any(map(_is_record, around)),
        begins_as_log(string[:_LONGEST_BEGINNING].encode("utf-8", "replace")),
    ]
    return sum(signs) > 1


def _has_name(at: Pointer, around: tuple[Any, ...]) -> bool:
    """Return whether a string has a name that lines of logs have, or stands in a list beside its time."""
    name = next((step for step in reversed(at) if isinstance(step, str)), None)
    return name in _NAMES or (isinstance(around[0], list) and _is_record(around[0]))


def _is_record(value: Any) -> bool:
    """Return whether an object has a time or a level, or an array a time."""
    if len(value) > _MOST_IN_RECORD:
        return False
    if isinstance(value, list):
        return any(map(_is_time, value))
    if is_of_log(value.keys()):
        return True
    return any(_is_time(one) or (isinstance(one, str) and one.lower() in _LEVELS) for one in value.values())


def _is_time(value: Any) -> bool:
    if isinstance(value, str):
        return _TIME.fullmatch(value) is not None
    is_number = isinstance(value, int | float)
    return is_number and any(_FIRST_SECOND * unit <= value < _LAST_SECOND * unit for unit in (1, 10**3, 10**6, 10**9))


def _found_in(capture: Capture, line: Text) -> Iterator[LoggedText]:
    """Yield the payloads in a line of a log and the records that hold an exchange, or the record that it is."""
    if payloads := payload_on_line(line):
        yield from (LoggedText(payload, False) for payload in payloads)
        return
    if capture.mapping is None and line.data.startswith(b"{") and decode_json(line.data) is not None:
        yield LoggedText(line, True)
        return
    for one in objects_in(line):
        decoded = decode_json(one.data)
        if decoded is None:
            continue
        if kind_of(decoded.value) is not None or holds_exchange(capture, Document(one, decoded).root):
            yield LoggedText(one, False)
