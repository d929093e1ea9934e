"""Make a JSON value smaller, one pointer after the other: fewer items and properties, and shorter texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from isogloss.validator.decode import decode_json
from isogloss.validator.nesting import shallow
from isogloss.validator.reducing.ddmin import minimise
from isogloss.validator.reducing.neutral import known_words, same_shape
from isogloss.validator.reducing.replacing import neutralise
from isogloss.validator.reducing.trees import Holds, compact

__all__ = ["shrink"]

_PROPERTIES = re.compile(r',?"[^"\\]*":(?:"[^"\\]*"|[\w.+-]+)|.', re.DOTALL)
_TOKENS = re.compile(r'"[^"\\]*"|\w+|\s+|.', re.DOTALL)
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_DONE = b"data: [DONE]\n\n"
_MOST_PIECES = 1_000
"""The highest number of pieces that are left out one by one. If a text has more, runs of pieces are left out first."""
_LONGEST_KEPT = 24
"""A text of at most this number of characters is not split into pieces, even if no neutral text may replace it."""


def shrink(value: Any, holds: Holds, least: int = 0) -> Any:
    """Return the value with as few items and properties, and with texts as short, as ``holds`` accepts.

    With ``least``, only arrays and objects that have so many items or properties become smaller.
    """
    if isinstance(value, list):
        value = minimise(value, holds) if len(value) >= least else list(value)
        for number in range(len(value)):
            value[number] = _shrink_part(value, number, holds, least)
    elif isinstance(value, dict):
        items = list(value.items())
        value = dict(minimise(items, lambda kept: holds(dict(kept))) if len(items) >= least else items)
        for name in value:
            value[name] = _shrink_part(value, name, holds, least)
    elif isinstance(value, bytes) and not least:
        value = _shrink_bytes(value, holds)
    elif isinstance(value, str) and not least:
        value = _shrink_text(value, holds)
    return value


def _shrink_part(value: Any, step: Any, holds: Holds, least: int) -> Any:
    """Make one part of a value smaller while all other parts stay, and return this part."""
    if isinstance(value, list):
        return shrink(value[step], lambda part: holds([*value[:step], part, *value[step + 1 :]]), least)
    return shrink(value[step], lambda part: holds({**value, step: part}), least)


def _shrink_bytes(text: bytes, holds: Holds) -> Any:
    """Shorten a text that is kept as it is, or return the JSON object in it, made smaller, if ``holds`` accepts it.

    The last event of a stream, ``[DONE]``, stays as it is.
    """
    if text == _DONE:
        return text
    decoded = decode_json(text.removeprefix(b"data:").strip())
    value = shallow(decoded.value) if decoded is not None and decoded.sound else None
    if isinstance(value, dict) and holds(value):
        return shrink(value, holds)
    lines = minimise(text.splitlines(keepends=True), lambda kept: holds(b"".join(kept)))
    text = b"".join(lines)
    shorter = text.decode("utf-8", "surrogateescape")
    for pattern in (_PROPERTIES, _TOKENS):
        shorter = _shrink_pieces(shorter, pattern, lambda kept: holds(kept.encode("utf-8", "surrogateescape")))
    return shorter.encode("utf-8", "surrogateescape")


def _shrink_text(text: str, holds: Holds) -> str:
    """Make a text as short as possible. JSON in it, for example the arguments of a call, stays JSON.

    If the text is its first half written twice, both halves are shortened in the same way. A word of the reference, and
    any other text of at most ``_LONGEST_KEPT`` characters, stays as it is.
    """
    half = text[: len(text) // 2]
    if text and text == half + half:
        half = _shrink_text(half, lambda shorter: holds(shorter + shorter))
        return half + half
    decoded = decode_json(text.encode("utf-8", "surrogatepass")) if text[:1] in ("{", "[") else None
    if decoded is not None and decoded.sound and isinstance(decoded.value, dict | list):

        def encode(value: Any) -> str:
            return compact(value).decode()

        value = shrink(shallow(decoded.value), lambda candidate: holds(encode(candidate)))
        value = neutralise(value, lambda candidate: holds(encode(candidate)))
        return encode(value) if holds(encode(value)) else text
    if text in known_words() or len(text) <= _LONGEST_KEPT:
        return text
    return _shrink_pieces(text, _WORDS, holds)


def _shrink_pieces(text: str, pattern: re.Pattern[str], holds: Callable[[str], bool]) -> str:
    """Leave out pieces of a text, which match a pattern, and put neutral words in place of the pieces that are left."""
    pieces = pattern.findall(text)
    while len(pieces) > _MOST_PIECES:
        size = len(pieces) // _MOST_PIECES + 1
        runs = ["".join(pieces[start : start + size]) for start in range(0, len(pieces), size)]
        text = "".join(minimise(runs, lambda kept: holds("".join(kept))))
        if len(fewer := pattern.findall(text)) == len(pieces):
            return text
        pieces = fewer
    pieces = minimise(pieces, lambda kept: holds("".join(kept)))
    for number, piece in enumerate(pieces):
        neutral = same_shape(piece)
        if neutral != piece and holds("".join([*pieces[:number], neutral, *pieces[number + 1 :]])):
            pieces[number] = neutral
    return "".join(pieces)
