"""Whether a text that is JSON has a key twice in an object, which readers disagree about: asked of every payload."""

from __future__ import annotations

from isogloss.validator.jsontext.repeats import decodes_a_key_twice, repeats_a_key
from isogloss.validator.jsontext.scanner import scan

__all__ = ["duplicate_keys"]


def duplicate_keys(data: bytes, value: object, *, escapes: bool = True) -> bool:
    """Whether any object in a text has a key twice, where `value` is what orjson decoded from the text.

    ``escapes`` is whether the text may spell characters of ASCII as escapes.
    """
    try:
        try:
            return repeats_a_key(data, value, escapes=escapes)
        except TypeError:  # orjson writes less deep than it reads
            return decodes_a_key_twice(data)
    except RecursionError:  # the standard library reads less deep than orjson
        return any(fault.rule == "json-duplicate-key" for fault in scan(data).faults)
