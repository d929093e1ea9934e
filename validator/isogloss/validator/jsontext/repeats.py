"""Find out by the standard library's decoder whether an object of a JSON text has a key twice."""

from __future__ import annotations

import json

__all__ = ["repeats_a_key"]


class _RepeatedKeyError(Exception):
    pass


def repeats_a_key(data: bytes) -> bool:
    """Whether any object in a text that is JSON has a key twice. Raises ``RecursionError`` for very deep texts."""
    try:
        json.loads(data, object_pairs_hook=_refuse_repeated, parse_int=float)
    except _RepeatedKeyError:
        return True
    return False


def _refuse_repeated(pairs: list[tuple[str, object]]) -> None:
    if len(pairs) > 1 and len(dict(pairs)) != len(pairs):
        raise _RepeatedKeyError
