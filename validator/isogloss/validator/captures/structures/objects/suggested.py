"""Suggest the mapping of a record that is read by none, or by one with a misspelt path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from isogloss.validator.captures.document import decoded
from isogloss.validator.captures.mapping import names_of, path_of
from isogloss.validator.captures.structures.objects.halves import is_part, role_of
from isogloss.validator.suggesting import closest

__all__ = ["body_paths", "nearest_path"]

_MOST_INSPECTED = 10_000
_MOST_ITEMS = 20
"""How many items of an array are inspected, at most."""


def body_paths(record: object) -> dict[str, str]:
    """Return the path at which a record holds a ``request``, and that of a ``response``: the outermost, then the first.

    They are found by their content, also in JSON text. A record that is a payload itself has none. Choices alone are
    only a part of a response, and so is everything else without them.
    """
    found: dict[str, str] = {}
    waiting: deque[tuple[tuple[str, ...], object]] = deque([((), record)])
    for _ in range(_MOST_INSPECTED):
        if not waiting or len(found) == 2:
            break
        names, value = waiting.popleft()
        role = role_of(value)
        if role is None:
            waiting += (((*names, name), inner) for name, inner in _named(decoded(value)))
        elif names and (role == "request" or not _is_a_part(decoded(value))):
            found.setdefault("request" if role == "request" else "response", path_of(names))
    return found


def _is_a_part(answer: object) -> bool:
    return isinstance(answer, dict) and (is_part(answer) or answer.keys().isdisjoint(("choices", "error")))


def nearest_path(record: object, path: str) -> str | None:
    """Return the path in a record whose names are most similar to those of a path, or ``None`` if none is similar."""
    steps: list[str] = []
    for wanted in names_of(path):
        names = {name: inner for name, inner in _named(decoded(record)) if inner is not None}
        name = wanted if wanted in names else closest(wanted, names)
        if name is None:
            return None
        steps.append(name)
        record = names[name]
    nearest = path_of(steps)
    return nearest if nearest != path else None


def _named(value: object) -> Iterator[tuple[str, object]]:
    """Yield what an object holds, with its names, or the first items of an array, with their numbers."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(number), item) for number, item in enumerate(value[:_MOST_ITEMS]))
