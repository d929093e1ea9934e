"""Locations inside a payload: JSON Pointer (RFC 6901) and the generic path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["ABSENT", "UNREAD", "Pointer", "follow", "generic", "read", "restorer", "rfc6901"]

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


_DIGITS = re.compile(r"\+?([0-9]+)")
_LONGEST_INDEX = 20


def restorer(root: object) -> Callable[[Iterable[str | int]], Pointer | None]:
    """A function that gives the places of a document which jsonschema-rs means.

    It gives a property called ``"200"`` as the number 200, as if it were an index, and ``"00"`` as 0; one called ``""``
    it leaves out. The function answers ``None`` where it cannot tell which property is meant.
    """
    numbered: dict[int, dict[int, list[str]]] = {}  # by the identity of an object, which the root keeps alive

    def name_of(owner: dict[str, object], number: int) -> str | None:
        names = numbered.get(id(owner))
        if names is None:
            names = numbered[id(owner)] = {}
            for name in owner:
                if (as_number := _number(name)) is not None:
                    names.setdefault(as_number, []).append(name)
        found = names.get(number, ())
        return found[0] if len(found) == 1 else None

    def restored(steps: Iterable[str | int]) -> Pointer | None:
        value = root
        at: list[str | int] = []
        for given in (*steps, None):
            if isinstance(value, dict) and "" in value:
                return None
            if given is None:
                break
            step = name_of(value, given) if isinstance(value, dict) and isinstance(given, int) else given
            if step is None:
                return None
            at.append(step)
            try:
                value = follow(value, at[-1:])
            except LookupError:
                return None
        return tuple(at)

    return restored


def _number(name: str) -> int | None:
    digits = _DIGITS.fullmatch(name)
    significant = digits[1].lstrip("0") if digits else ""
    return int(significant or "0") if digits and len(significant) <= _LONGEST_INDEX else None
