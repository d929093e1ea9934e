"""Replace the words of a JSON value with neutral words, and its numbers with small numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isogloss.validator.reducing.neutral import known_words, neutral_texts
from isogloss.validator.reducing.trees import Holds, compact

__all__ = ["neutralise"]

_SHORTEST_IN_BYTES = 4
"""Only values with at least this number of characters are also replaced in text that is kept as it is."""


def neutralise(value: Any, holds: Holds, keep: frozenset[str] = frozenset()) -> Any:
    """Return the value with neutral words and small numbers in place of its own, as far as ``holds`` accepts them.

    Equal texts get the same replacement everywhere. The words of the reference stay, and so do the words in ``keep``.
    """
    known = known_words() | keep
    for name, old in dict.fromkeys(_leaves(value, "")):
        others = neutral_texts(old, name) if isinstance(old, str) and old not in known else _smaller_numbers(old)
        for other in others:
            if holds(changed := _replace(value, old, other)):
                value = changed
                break
    for name in [one for one in dict.fromkeys(_property_names(value)) if one not in known]:
        for other in neutral_texts(name, ""):
            if holds(changed := _rename(value, name, other)):
                value = changed
                break
    return value


def _smaller_numbers(old: object) -> Iterator[int | float]:
    if type(old) is int:
        yield from (small for small in (1, 0, 2) if len(str(small)) < len(str(old)))
    elif type(old) is float:
        yield from (small for small in (0.0, 0.5) if len(repr(small)) < len(repr(old)))


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part, name)
    elif isinstance(value, str) or type(value) in (int, float):
        yield name, value


def _property_names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _property_names(part)


def _replace(value: Any, old: object, other: object) -> Any:
    if isinstance(value, dict):
        return {name: _replace(part, old, other) for name, part in value.items()}
    if isinstance(value, list):
        return [_replace(part, old, other) for part in value]
    if isinstance(value, bytes) and len(str(old)) >= _SHORTEST_IN_BYTES:
        return value.replace(compact(old), compact(other))
    return other if type(value) is type(old) and value == old else value


def _rename(value: Any, old: str, other: str) -> Any:
    """Rename a property in a value. Also rename it in texts, since `required` holds names of properties."""
    if isinstance(value, dict):
        return {other if name == old else name: _rename(part, old, other) for name, part in value.items()}
    if isinstance(value, list):
        return [_rename(part, old, other) for part in value]
    return other if value == old else value
