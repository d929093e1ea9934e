"""Find the payloads in lines of logs that a JSON document holds as strings.

Docker, Loki, CloudWatch, Google Cloud Logging, OpenTelemetry and others keep so what a program printed. A string is a
line of a log if two of three things say so: the name of its property; a time or a level beside it, or beside an object
around it; and the time or the level that the string itself begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from isogloss.validator.captures.bodies.objects import objects_in, payload_on_line
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.document import Document, Node
from isogloss.validator.captures.structures.objects.halves import is_of_log
from isogloss.validator.captures.structures.values import holds_exchange
from isogloss.validator.captures.texts.entries import begins_as_log
from isogloss.validator.decode import Decoded, kind_of_json
from isogloss.validator.pointer import Pointer, read
from isogloss.validator.text import Text

__all__ = ["logged_payloads"]

_NAMES = frozenset({
    "log", "message", "msg", "textPayload", "line", "@message", "short_message", "_raw", "MESSAGE", "event", "@m",
    "stringValue",
})  # fmt: skip
"""Names under which the records of logs have what was printed."""
_OF_PAYLOADS = ("choices", "messages", "error")
_MOST_AROUND = 3
"""Beside so many objects and arrays around a string, a time or a level counts."""
_DEEPEST = 12
_LONGEST_BEGINNING = 200
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,+Z -]{0,30}(?:UTC)?|1[4-9]\d{8}(?:\d{3}){0,3}(?:\.\d{1,9})?")
"""A date with a time, or the number of a moment."""
_FIRST_SECOND, _LAST_SECOND = 1_400_000_000, 2_000_000_000
"""A number from here to there is a moment of the years 2014 to 2033, or a thousand, a million, a billion times this."""
_LEVELS = frozenset({
    "trace", "debug", "info", "information", "notice", "warn", "warning", "error", "err", "fatal", "critical",
})  # fmt: skip


def logged_payloads(capture: Capture, text: Text, value: object, *, sound: bool) -> list[Text]:
    """Return the texts of the payloads in the lines of logs that a document holds as strings, in their order.

    There are none in a document that holds an exchange by itself.
    """
    places = list(_places_of_lines(value, (), ()))
    if not places:
        return []
    document = Document(text, Decoded(value, sound))
    lines = [Node(document, read(value, at), at).text() for at in places]
    payloads = [payload for line in lines if line is not None for payload in _payloads_in(line)]
    return payloads if payloads and not holds_exchange(capture, document.root) else []


def _places_of_lines(value: Any, at: Pointer, around: tuple[Any, ...]) -> Iterator[Pointer]:
    """Yield the pointers of the lines of logs in a value. ``around`` holds what stands around it, from the inside."""
    if isinstance(value, dict):
        if _is_body_or_holds_some(value):
            return
        inner: Iterable[tuple[str | int, Any]] = value.items()
    else:
        inner = enumerate(value if isinstance(value, list) else ())
    around = (value, *around[: _MOST_AROUND - 1])
    for step, one in inner:
        if isinstance(one, str):
            if _may_hold_payload(one) and _is_line(one, (*at, step), around):
                yield (*at, step)
        elif isinstance(one, dict | list) and len(at) < _DEEPEST:
            yield from _places_of_lines(one, (*at, step), around)


def _is_body_or_holds_some(value: dict[str, Any]) -> bool:
    """Return whether an object is a body, or a record with bodies: the strings in it were sent, and not printed."""
    if "choices" in value or "messages" in value:
        return True
    return isinstance(value.get("request"), dict | list) or isinstance(value.get("response"), dict | list)


def _may_hold_payload(string: str) -> bool:
    return "{" in string and any(name in string for name in _OF_PAYLOADS)


def _is_line(string: str, at: Pointer, around: tuple[Any, ...]) -> bool:
    """Return whether a string is a line of a log, from what stands around it. A line beside its time needs no name."""
    name = next((step for step in reversed(at) if isinstance(step, str)), None)
    signs = [
        name in _NAMES or any(isinstance(one, list) and any(map(_is_time, one)) for one in around[:1]),
        any(map(_is_record, around)),
        begins_as_log(string[:_LONGEST_BEGINNING].encode("utf-8", "replace")),
    ]
    return sum(signs) > 1


def _is_record(value: Any) -> bool:
    """Return whether an object or an array has a time or a level."""
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


def _payloads_in(line: Text) -> Iterator[Text]:
    """Yield the payloads of Chat Completions in a line of a log."""
    found = payload_on_line(line)
    if found:
        yield from found
        return
    yield from (one for one in objects_in(line) if kind_of_json(one.data) is not None)
