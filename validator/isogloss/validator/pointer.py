"""Pointers to values in a payload (RFC 6901), and paths, which have ``[]`` in place of every index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import getitem
from typing import Any

__all__ = [
    "ABSENT", "UNREAD", "Pointer", "Steps", "existing_steps", "follow", "generic", "pointers_and_values", "read",
    "restorer", "rfc6901", "steps_of",
]  # fmt: skip

Pointer = tuple[str | int, ...]
"""Steps from the root of a JSON document: a string for a property, an integer for an array index."""

Steps = tuple[str | None, ...]
"""Steps of a path: a string for a property, ``None`` for any index."""

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT", "__bool__": lambda self: False})()
"""Used in place of a value that does not exist."""

UNREAD: Any = type("Unread", (), {"__repr__": lambda self: "UNREAD"})()
"""Used in place of a value that is in the payload, and that is read from there when it is needed."""

_pointers: dict[Pointer, str] = {}
_paths: dict[Pointer, str] = {}
"""Caches of the two written forms of pointers, as RFC 6901 and as a path. A capture has few different pointers."""
_MOST_CACHED, _LONGEST_CACHED = 4096, 200

_PLAIN = re.compile(r"[A-Za-z0-9_$@-]+\Z")


def rfc6901(pointer: Pointer) -> str:
    """Write a pointer in the form of RFC 6901, e.g. ``/choices/0/message``."""
    return _pointers.get(pointer) or _remember(
        _pointers, pointer, "".join(["/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer])
    )


def _remember(known: dict[Pointer, str], pointer: Pointer, written: str) -> str:
    """Keep the written form of a pointer in a cache, if it is not too long, and return it."""
    if len(written) <= _LONGEST_CACHED:
        if len(known) >= _MOST_CACHED:
            known.clear()
        known[pointer] = written
    return written


def generic(pointer: Pointer) -> str:
    """Write the path of a pointer, with ``[]`` for every index, e.g. ``choices[].message``.

    A property whose name is not plain (letters, digits, ``_ $ @ -``) is written as ``["name"]``. The root is
    the empty string.
    """
    return _paths.get(pointer) or _remember(_paths, pointer, _generic(pointer))


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


_STEP = r'(?:(?P<index>\[\])|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|(?P<dot>\.)?(?P<name>[A-Za-z0-9_$@-]+))'


def steps_of(path: str) -> Steps | None:
    """Return the steps of a path as :func:`generic` writes it, or ``None`` if the text is not a path of this form."""
    steps: list[str | None] = []
    end = 0
    while end < len(path):
        step = re.compile(_STEP).match(path, end)
        if step is None or (step["name"] is not None and bool(step["dot"]) is not bool(steps)):
            return None
        quoted = step["quoted"]
        steps.append(step["name"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
        end = step.end()
    return tuple(steps)


def pointers_and_values(value: object, steps: Steps, at: Pointer = ()) -> Iterator[tuple[Pointer, object]]:
    """Yield every pointer in a value that the steps of a path lead to, with the value that is there."""
    if not steps:
        yield at, value
    elif steps[0] is None:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from pointers_and_values(item, steps[1:], (*at, index))
    elif isinstance(value, dict) and steps[0] in value:
        yield from pointers_and_values(value[steps[0]], steps[1:], (*at, steps[0]))


def follow(value: object, pointer: Iterable[str | int]) -> object:
    """Return the value at a pointer.

    Raises ``LookupError`` when a step does not exist.
    """
    steps = tuple(pointer)
    found = read(value, steps)
    if found is ABSENT:
        raise LookupError(rfc6901(steps))
    return found


def read(value: Any, pointer: Iterable[str | int]) -> object:
    """Return the value at a pointer, or :data:`ABSENT` if it does not exist."""
    steps = tuple(pointer)
    try:
        found = reduce(getitem, steps, value)
    except (LookupError, TypeError):  # it is not there, or what is there holds nothing
        return ABSENT
    if type(found) is str and steps and type(steps[-1]) is int and not isinstance(read(value, steps[:-1]), list):
        return ABSENT  # a character of a string
    return found


def existing_steps(value: object, pointer: Pointer) -> int:
    """Return how many of the first steps of a pointer exist in a value."""
    for number, step in enumerate(pointer):
        value = read(value, (step,))
        if value is ABSENT:
            return number
    return len(pointer)


_DIGITS = r"\+?([0-9]+)"
_LONGEST_INDEX = 20


def restorer(root: object) -> Callable[[Iterable[str | int]], Pointer | None]:
    """Return a function that corrects the pointers which jsonschema-rs gives to values in a document.

    jsonschema-rs gives a property named ``"200"`` as the number 200, as if it were an index, ``"00"`` as 0, and leaves
    out a property named ``""``. The function returns ``None`` if it cannot decide which property is meant.
    """
    numbered: dict[int, dict[int, list[str]]] = {}  # by id() of an object; the root keeps these objects alive

    def name_of(owner: dict[str, object], number: int) -> str | None:
        names = numbered.get(id(owner))
        if names is None:
            names = numbered[id(owner)] = {}
            for name in owner:
                if (as_number := _number(name)) is not None:
                    names.setdefault(as_number, []).append(name)
        found = names.get(number, ())
        return found[0] if len(found) == 1 else None

    def restore(steps: Iterable[str | int]) -> Pointer | None:
        value = root
        at: list[str | int] = []
        for reported_step in (*steps, None):
            if isinstance(value, dict) and "" in value:
                return None
            if reported_step is None:
                break
            step = (
                name_of(value, reported_step)
                if isinstance(value, dict) and isinstance(reported_step, int)
                else reported_step
            )
            if step is None:
                return None
            at.append(step)
            try:
                value = follow(value, at[-1:])
            except LookupError:
                return None
        return tuple(at)

    return restore


def _number(name: str) -> int | None:
    digits = re.fullmatch(_DIGITS, name)
    significant = digits[1].lstrip("0") if digits else ""
    return int(significant or "0") if digits and len(significant) <= _LONGEST_INDEX else None
