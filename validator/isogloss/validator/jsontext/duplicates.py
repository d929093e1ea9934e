"""Find out whether an object in a JSON text has a key twice. Readers disagree about that: all payloads are checked."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.validator.jsontext.repeats import decodes_a_key_twice, may_repeat_a_key, repeats_a_key

__all__ = ["duplicate_keys", "texts_with_duplicate_keys"]

_GROUP = 100
"""How many texts are checked at once, at most."""


def duplicate_keys(data: bytes, value: object, *, escapes: bool = True) -> bool:
    """Return whether any object in a text has a key twice; `value` is what orjson decoded from the text.

    ``escapes`` says whether the text may spell characters of ASCII as escapes.
    """
    try:
        try:
            return repeats_a_key(data, value, escapes=escapes)
        except TypeError:  # orjson writes less deep than it reads
            return decodes_a_key_twice(data)
    except RecursionError:  # the standard library reads less deep than orjson
        from isogloss.validator.jsontext.scanner import scan

        return any(fault.rule == "json-duplicate-key" for fault in scan(data).faults)


def texts_with_duplicate_keys(texts: Sequence[bytes], values: Sequence[object], *, escapes: bool = True) -> list[int]:
    """Return the numbers of the texts in which any object has a key twice.

    All arguments are as for one text. Texts are checked together first, since hardly any text has a key twice.
    """
    found: list[int] = []
    for start in range(0, len(texts), _GROUP):
        group, decoded = texts[start : start + _GROUP], values[start : start + _GROUP]
        if may_repeat_a_key(group, decoded, escapes=escapes):
            found += (
                number
                for number, (text, value) in enumerate(zip(group, decoded, strict=True), start)
                if duplicate_keys(text, value, escapes=escapes)
            )
    return found
