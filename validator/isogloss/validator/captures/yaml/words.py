"""Write YAML scalars as JSON: strings, keys, and the plain scalars that are numbers, booleans or null."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import orjson

__all__ = ["BINARY", "KEYS", "STRINGS", "SYMBOLS", "TAG", "Spellings", "plain_scalar", "plain_scalars"]

BINARY = "base64_string"
"""A `!!binary` scalar becomes an object with this property, its Base64 text. Ruby VCR and Betamax write this form."""
TAG = "tag:yaml.org,2002:"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SHORT = 40
"""A scalar with at least this many characters is not remembered."""
_MOST_REMEMBERED = 4096


class Spellings(dict[str, bytes]):
    """The JSON of scalars, by their value. That of short scalars is remembered, since most of them occur many times."""

    def __init__(self, write: Callable[[str], bytes]) -> None:
        super().__init__()
        self._write = write

    def __missing__(self, value: str) -> bytes:
        written = self._write(value)
        if len(value) < _SHORT and len(self) < _MOST_REMEMBERED:
            self[value] = written
        return written


KEYS = Spellings(lambda value: orjson.dumps(value) + b":")
"""Keys of JSON objects."""
SYMBOLS = Spellings(lambda value: orjson.dumps(value.removeprefix(":")) + b":")
"""Keys of a hash of Ruby, in which symbols stand as ``:url``."""
STRINGS = Spellings(lambda value: orjson.dumps(value) + b",")
"""Strings, with the comma behind them."""


@cache
def plain_scalars(yaml: Any) -> Spellings:
    """Return the JSON that is written for scalars without quotes and without a tag, with the comma behind it."""
    resolve, node = yaml.resolver.Resolver().resolve, yaml.ScalarNode
    return Spellings(
        lambda value: (plain_scalar(value, resolve(node, value, (True, False))) or orjson.dumps(value)) + b","
    )


def plain_scalar(value: str, tag: str) -> bytes | None:
    """Return a plain scalar as a JSON number, boolean or null, or ``None`` if it cannot be written as one of these.

    A number keeps the digits in which it was written, if JSON allows them.
    """
    kind = tag.removeprefix(TAG)
    if kind == "null":
        return b"null"
    if kind == "bool":
        return b"true" if value.lower() in ("yes", "true", "on") else b"false"
    if kind not in ("int", "float"):
        return None
    if _NUMBER.fullmatch(value):
        return value.encode()
    text = value.replace("_", "").lower()
    sign, digits = ("-", text[1:]) if text[:1] == "-" else ("", text.removeprefix("+"))
    if kind == "float":
        if digits in (".inf", ".nan"):
            return f"{sign}Infinity".encode() if digits == ".inf" else b"NaN"
        digits = f"0{digits}" if digits.startswith(".") else digits.replace(".e", ".0e")
        digits = f"{digits}0" if digits.endswith(".") else digits
    elif digits[:2] in ("0x", "0b") or digits[:1] == "0":
        base = {"0x": 16, "0b": 2}.get(digits[:2], 8)
        try:
            digits = str(int(digits[2:] if base != 8 else digits, base))
        except ValueError:  # not digits of that base, or more digits than Python prints
            return None
    number = (sign + digits).encode()
    return number if _NUMBER.fullmatch(number.decode()) else None
