"""Find neutral words that may replace the words of a payload, so that nothing private is left in it.

The neutral words have the same shape as the words of the payload, and are not longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from isogloss import schemas

__all__ = ["known_words", "neutral_texts", "same_shape"]

_WORDS_BY_LENGTH = ("", "a", "of", "the", "word", "words", "letter", "letters", "sentence", "sentences")
_ID_PREFIXES = ("chatcmpl-", "call_", "fp_", "req_")
_SHORT_TEXTS = ("a", "b", "c")
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


def neutral_texts(text: str, name: str) -> Iterator[str]:
    """Yield texts that may replace a text, which is the value of the property ``name``. None is longer than the text.

    Short texts come first, and a text of the same shape comes last.
    """
    for replacement in (*_short_texts(text, name), same_shape(text)):
        if replacement == text:
            return
        if len(replacement.encode()) <= len(text.encode("utf-8", "surrogatepass")):
            yield replacement


def _short_texts(text: str, name: str) -> Iterator[str]:
    for prefix in _ID_PREFIXES:
        if text.startswith(prefix):
            yield from (prefix + digit for digit in "123")
    yield from ("m",) if name == "model" else _SHORT_TEXTS


def same_shape(text: str) -> str:
    """Return the text with other letters and digits: with as many words and signs, each of the same length.

    The words are in the same case: lower, upper, or with a capital first. Words of the reference stay as they are.
    """
    return _DIGIT.sub("1", _WORD.sub(_neutral_word, text))


def _neutral_word(match: re.Match[str]) -> str:
    word = match[0]
    if word in known_words():
        return word
    if len(word) < len(_WORDS_BY_LENGTH):
        neutral = _WORDS_BY_LENGTH[len(word)]
    else:
        neutral = (_WORDS_BY_LENGTH[-1] * (len(word) // 9 + 1))[: len(word)]
    if word.isupper():
        return neutral.upper()
    return neutral.capitalize() if word[0].isupper() else neutral
