"""Locations inside a payload: JSON Pointer (RFC 6901) and the generic path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

__all__ = ["ABSENT", "UNREAD", "Pointer", "follow", "generic", "read", "rfc6901"]

Pointer = tuple[str | int, ...]
"""Steps from the root of a JSON document: a string for a property, an integer for an array index."""

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT", "__bool__": lambda self: False})()
"""Stands for the value at a place where there is none."""

UNREAD: Any = type("Unread", (), {"__repr__": lambda self: "UNREAD"})()
"""Stands for a value that is in the payload and is read there when it is needed."""

_paths: dict[Pointer, str] = {}
"""The generic paths that were asked for: the same few come again and again."""
_MOST, _LONGEST = 4096, 200

_PLAIN = re.compile(r"[A-Za-z0-9_$@-]+\Z")


def rfc6901(pointer: Iterable[str | int]) -> str:
    """Write a location as an RFC 6901 JSON Pointer, e.g. ``/choices/0/message``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)


def generic(pointer: Pointer) -> str:
    """Write a location with ``[]`` for every index, e.g. ``choices[].message``.

    A property whose name is not plain (letters, digits, ``_ $ @ -``) is written as ``["name"]``. The root is
    the empty string.
    """
    path = _paths.get(pointer)
    if path is None:
        path = _generic(pointer)
        if len(path) <= _LONGEST:
            if len(_paths) >= _MOST:
                _paths.clear()
            _paths[pointer] = path
    return path


def _generic(pointer: Pointer) -> str:
    path = ""
    for step in pointer:
        if isinstance(step, int):
            path += "[]"
        elif _PLAIN.match(step):
            path += "." + step if path else step
        else:
            path += '["' + step.replace("\\", "\\\\").replace('"', '\\"') + '"]'
    return path


def follow(value: object, pointer: Iterable[str | int]) -> object:
    """Return the value at a location.

    Raises ``LookupError`` when a step does not exist.
    """
    for step in pointer:
        if (isinstance(step, str) and isinstance(value, dict)) or (isinstance(step, int) and isinstance(value, list)):
            value = value[step]  # type: ignore[index]
        else:
            raise LookupError(rfc6901(pointer))
    return value


def read(value: object, pointer: Iterable[str | int]) -> object:
    """Return the value at a location, or :data:`ABSENT` where there is none."""
    try:
        return follow(value, pointer)
    except LookupError:
        return ABSENT
