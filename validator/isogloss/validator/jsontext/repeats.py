"""Find out whether an object of a JSON text has a key twice, from what orjson or the standard library decodes."""

from __future__ import annotations

import json
from collections.abc import Sequence

import orjson

from isogloss.validator.searching import count, holds_any

__all__ = ["decodes_a_key_twice", "may_repeat_a_key", "repeats_a_key"]


_ESCAPED = b"\\u003"
"""How the escape of a colon begins."""
_LONG = 1 << 12
"""How many characters make a string long."""


class _RepeatedKeyError(Exception):
    pass


def repeats_a_key(data: bytes, value: object, *, escapes: bool = True) -> bool:
    """Return whether any object in a text has a key twice; `value` is what orjson decoded from the text.

    ``escapes`` says whether the text may spell characters of ASCII as escapes. Raises ``TypeError`` for values that are
    too deep for orjson to write, and ``RecursionError`` for texts that are too deep for the standard library.
    """
    # Each property has a colon, and in the text that orjson writes, no object has a name twice. All other colons stand
    # in strings, which are the same in both texts, unless a colon is spelled as an escape.
    written = orjson.dumps(value)
    if written == data:
        return False
    if escapes and holds_any(data, _ESCAPED):
        return decodes_a_key_twice(data)
    return count(data, b":") != count(written, b":")


def may_repeat_a_key(texts: Sequence[bytes], values: Sequence[object], *, escapes: bool) -> bool:
    """Return whether any object in some texts may have a key twice; `values` are what orjson decoded from the texts.

    What :func:`repeats_a_key` says of one text holds for all of them together, without decoding any of them again.
    """
    shortened, colons = _without_long_strings(texts, values)
    try:
        written = orjson.dumps(shortened)
    except TypeError:  # too deep to tell
        return True
    if len(written) == sum(map(len, texts)) + len(texts) + 1 and written == b"[%b]" % b",".join(texts):
        return False
    if escapes and any(holds_any(text, _ESCAPED) for text in texts):
        return True
    return count(b"".join(texts), b":") != count(written, b":") + colons


def _without_long_strings(texts: Sequence[bytes], values: Sequence[object]) -> tuple[Sequence[object], int]:
    """Return the values of texts without the long strings in them, such as streams, and how many colons these have.

    To write a long string, with all its escapes, takes longer than to count its colons. Only properties of the values
    themselves are looked at.
    """
    if max(map(len, texts), default=0) <= _LONG:
        return values, 0
    shortened, colons = [], 0
    for text, value in zip(texts, values, strict=True):
        if len(text) > _LONG and isinstance(value, dict):
            long = {name: one for name, one in value.items() if isinstance(one, str) and len(one) > _LONG}
            if long:
                colons += sum([text.count(":") for text in long.values()])
                value = value | dict.fromkeys(long, "")
        shortened.append(value)
    return shortened, colons


def decodes_a_key_twice(data: bytes) -> bool:
    """Return whether the standard library finds a key twice in a JSON text. Raises ``RecursionError``, as above."""
    try:
        json.loads(data, object_pairs_hook=_refuse_repeated, parse_int=float)
    except _RepeatedKeyError:
        return True
    return False


def _refuse_repeated(pairs: list[tuple[str, object]]) -> None:
    if len(pairs) > 1 and len(dict(pairs)) != len(pairs):
        raise _RepeatedKeyError
