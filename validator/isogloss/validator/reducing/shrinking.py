"""Make a JSON value smaller place by place: fewer items and properties, and shorter texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from isogloss.validator.decode import decode_json
from isogloss.validator.reducing.ddmin import fewest
from isogloss.validator.reducing.neutral import known_words, same_shape
from isogloss.validator.reducing.replacing import neutralised
from isogloss.validator.reducing.trees import Holds, compact, shallow

__all__ = ["shrunk"]

_MEMBERS = re.compile(r',?"[^"\\]*":(?:"[^"\\]*"|[\w.+-]+)|.', re.DOTALL)
_TOKENS = re.compile(r'"[^"\\]*"|\w+|\s+|.', re.DOTALL)
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_DONE = b"data: [DONE]\n\n"
_MOST_PIECES = 1_000
"""Pieces that are left out one by one; of a text with more, runs of them are left out first."""
_LONGEST_KEPT = 24
"""Characters of a text that no neutral word may replace, up to which it is not taken to pieces."""


def shrunk(value: Any, holds: Holds) -> Any:
    """Return the value with as few items and properties, and with texts as short, as ``holds`` accepts."""
    if isinstance(value, list):
        value = fewest(value, holds)
        for number in range(len(value)):
            value = [*value[:number], _inner(value, number, holds), *value[number + 1 :]]
    elif isinstance(value, dict):
        value = dict(fewest(list(value.items()), lambda items: holds(dict(items))))
        for name in list(value):
            value = {**value, name: _inner(value, name, holds)}
    elif isinstance(value, bytes):
        value = _verbatim(value, holds)
    elif isinstance(value, str):
        value = _text(value, holds)
    return value


def _inner(value: Any, step: Any, holds: Holds) -> Any:
    """Make one part of a value smaller while all other parts stay, and return this part."""
    if isinstance(value, list):
        return shrunk(value[step], lambda one: holds([*value[:step], one, *value[step + 1 :]]))
    return shrunk(value[step], lambda one: holds({**value, step: one}))


def _verbatim(text: bytes, holds: Holds) -> Any:
    """Shorten a text that is kept as it is, or return the JSON object in it, made smaller, if ``holds`` accepts it.

    The last event of a stream, ``[DONE]``, stays as it is.
    """
    if text == _DONE:
        return text
    decoded = decode_json(text.removeprefix(b"data:").strip())
    value = shallow(decoded.value) if decoded is not None and decoded.sound else None
    if isinstance(value, dict) and holds(value):
        return shrunk(value, holds)
    lines = fewest(text.splitlines(keepends=True), lambda some: holds(b"".join(some)))
    text = b"".join(lines)
    shorter = text.decode("utf-8", "surrogateescape")
    for pieces in (_MEMBERS, _TOKENS):
        shorter = _pieces(shorter, pieces, lambda one: holds(one.encode("utf-8", "surrogateescape")))
    return shorter.encode("utf-8", "surrogateescape")


def _text(text: str, holds: Holds) -> str:
    """Make a text as short as possible. JSON in it, for example the arguments of a call, stays JSON.

    If the text is its first half written twice, both halves are shortened in the same way. A word of the reference, and
    any other text of at most ``_LONGEST_KEPT`` characters, stays as it is.
    """
    half = text[: len(text) // 2]
    if text and text == half + half:
        half = _text(half, lambda one: holds(one + one))
        return half + half
    decoded = decode_json(text.encode("utf-8", "surrogatepass")) if text[:1] in ("{", "[") else None
    if decoded is not None and decoded.sound and isinstance(decoded.value, dict | list):

        def spelt(value: Any) -> str:
            return compact(value).decode()

        value = shrunk(shallow(decoded.value), lambda one: holds(spelt(one)))
        value = neutralised(value, lambda one: holds(spelt(one)))
        return spelt(value) if holds(spelt(value)) else text
    if text in known_words() or len(text) <= _LONGEST_KEPT:
        return text
    return _pieces(text, _WORDS, holds)


def _pieces(text: str, kind: re.Pattern[str], holds: Callable[[str], bool]) -> str:
    """Leave out pieces of a kind from a text, and put neutral words in place of the pieces that are left."""
    pieces = kind.findall(text)
    while len(pieces) > _MOST_PIECES:
        size = len(pieces) // _MOST_PIECES + 1
        runs = ["".join(pieces[start : start + size]) for start in range(0, len(pieces), size)]
        text = "".join(fewest(runs, lambda some: holds("".join(some))))
        if len(fewer := kind.findall(text)) == len(pieces):
            return text
        pieces = fewer
    pieces = fewest(pieces, lambda some: holds("".join(some)))
    for number, piece in enumerate(pieces):
        other = same_shape(piece)
        if other != piece and holds("".join([*pieces[:number], other, *pieces[number + 1 :]])):
            pieces[number] = other
    return "".join(pieces)
