"""Recognise common forms of values: those that libraries make of random numbers, with or without OpenAI's prefixes.

Most unknown servers use one of these forms, so such a form is weak evidence for any dialect.
"""

from __future__ import annotations

from isogloss.validator.dialects.model import Fact

__all__ = ["is_common"]

_UUID = "3f2b8c1e-9a4d-4e6f-8b2a-1c5d7e9f0a3b"
_HEX = _UUID.replace("-", "")
_LETTERS_AND_DIGITS = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXyZ4"
_EXAMPLES = (
    _UUID, _HEX, _HEX[:24], _HEX[:16], _HEX[:10], _LETTERS_AND_DIGITS, "1760000000",
    "chatcmpl-123", f"chatcmpl-{_UUID}", f"chatcmpl-{_HEX}", f"chatcmpl-{_LETTERS_AND_DIGITS[:29]}",
    "call_1", f"call_{_UUID}", f"call_{_HEX}", f"call_{_HEX[:24]}", f"call_{_LETTERS_AND_DIGITS[:24]}",
    f"fp_{_HEX[:10]}",
    "gpt-4o", "organisation/model-7b",
)  # fmt: skip


def is_common(fact: Fact) -> bool:
    """Return whether a fact is about a common form, such as a UUID, 32 hexadecimal digits, or `gpt-4o`."""
    return fact.schema is not None and any(fact.accepts(example) for example in _EXAMPLES)
