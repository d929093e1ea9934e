"""Neutral words in place of those of a payload: of the same shape and no longer, so that nothing private is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from isogloss import schemas

__all__ = ["in_place_of", "known_words", "same_shape"]

_WORDS = ("", "a", "of", "the", "word", "words", "letter", "letters", "sentence", "sentences")
_IDS = ("chatcmpl-", "call_", "fp_", "req_")
_PLAIN = ("a", "b", "c")
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"[1-9]")


@cache
def known_words() -> frozenset[str]:
    """Return the names of properties and the values of enumerations in the reference.

    These words reveal nothing about anybody.
    """
    found: set[str] = set()
    for name in (*schemas.NAMES, "common"):
        _collect(schemas.load(name), found)
    return frozenset(found)


def _collect(schema: object, found: set[str]) -> None:
    if isinstance(schema, list):
        for item in schema:
            _collect(item, found)
    elif isinstance(schema, dict):
        properties, values = schema.get("properties"), schema.get("enum", [schema.get("const")])
        if isinstance(properties, dict):
            found.update(properties)
        if isinstance(values, list):
            found.update(value for value in values if isinstance(value, str))
        for value in schema.values():
            _collect(value, found)


def in_place_of(text: str, name: str) -> Iterator[str]:
    """Yield texts that may replace a text, which is the value of the property ``name``. None is longer than the text.

    Short texts come first, and a text of the same shape comes last.
    """
    for one in (*_short(text, name), same_shape(text)):
        if one == text:
            return
        if len(one.encode()) <= len(text.encode("utf-8", "surrogatepass")):
            yield one


def _short(text: str, name: str) -> Iterator[str]:
    for prefix in _IDS:
        if text.startswith(prefix):
            yield from (prefix + one for one in "123")
    yield from ("m",) if name == "model" else _PLAIN


def same_shape(text: str) -> str:
    """Return the text with other letters and digits: with as many words and signs, each of the same length.

    The words are in the same case: lower, upper, or with a capital first. Words of the reference stay as they are.
    """
    return _DIGIT.sub("1", _WORD.sub(_neutral, text))


def _neutral(match: re.Match[str]) -> str:
    word = match[0]
    if word in known_words():
        return word
    other = _WORDS[len(word)] if len(word) < len(_WORDS) else (_WORDS[-1] * (len(word) // 9 + 1))[: len(word)]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
