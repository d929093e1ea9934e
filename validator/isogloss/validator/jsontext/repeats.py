"""Find out whether an object of a JSON text has a key twice, by what orjson or the standard library decodes."""

from __future__ import annotations

import json

import orjson

__all__ = ["decodes_a_key_twice", "repeats_a_key"]


class _RepeatedKeyError(Exception):
    pass


def repeats_a_key(data: bytes, value: object, *, escapes: bool = True) -> bool:
    """Whether any object in a text has a key twice, where `value` is what orjson decoded from the text.

    ``escapes`` is whether the text may spell characters of ASCII as escapes. Raises ``TypeError`` for values that are
    too deep for orjson to write, and ``RecursionError`` for texts that are too deep for the standard library.
    """
    # Each member has a colon, and what orjson writes has one member of each name. All other colons stand in strings,
    # which both texts share, unless one is spelled as an escape.
    written = orjson.dumps(value)
    if written == data:
        return False
    if escapes and b"\\u003" in data:
        return decodes_a_key_twice(data)
    return data.count(b":") != written.count(b":")


def decodes_a_key_twice(data: bytes) -> bool:
    """Whether the standard library meets a key twice in a text that is JSON. Raises ``RecursionError``, as above."""
    try:
        json.loads(data, object_pairs_hook=_refuse_repeated, parse_int=float)
    except _RepeatedKeyError:
        return True
    return False


def _refuse_repeated(pairs: list[tuple[str, object]]) -> None:
    if len(pairs) > 1 and len(dict(pairs)) != len(pairs):
        raise _RepeatedKeyError
