"""Whether a text that is JSON has a key twice in an object, which readers disagree about: asked of every payload."""

from __future__ import annotations

import orjson

from isogloss.validator.jsontext.repeats import repeats_a_key
from isogloss.validator.jsontext.scanner import scan

__all__ = ["duplicate_keys"]


def duplicate_keys(data: bytes, value: object, *, escapes: bool = True) -> bool:
    """Whether any object in a text has a key twice, where `value` is what orjson decoded from the text.

    ``escapes`` is whether the text may spell characters of ASCII as escapes.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:  # orjson writes less deep than it reads
        return _search_duplicate_key(data)
    # Each member has a colon, and what orjson wrote has one member of each name. All other colons stand in strings,
    # which both texts share, unless one is spelled as an escape.
    if written == data:
        return False
    if escapes and b"\\u003" in data:
        return _search_duplicate_key(data)
    return data.count(b":") != written.count(b":")


def _search_duplicate_key(data: bytes) -> bool:
    try:
        return repeats_a_key(data)
    except RecursionError:  # the standard library reads less deep than orjson
        return any(fault.rule == "json-duplicate-key" for fault in scan(data).faults)
