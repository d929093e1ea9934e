"""Find the lists of tokens in the log probabilities of choices, and the texts to which the tokens belong."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import repeat
from typing import Any

from msgspec import Struct

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Completion, Json

__all__ = ["TokenList", "bytes_of_token", "encoded", "texts_of_tokens", "token_lists"]


class Ranked(Struct, frozen=True, gc=False):
    """A token, its alternatives, and the log probabilities of these."""

    token: Json
    alternatives: list[Json]
    logprobs: list[float]


class TokenList:
    """The tokens of ``content`` or ``refusal`` of a choice, with ``at`` as pointer and ``value`` as the array.

    ``text`` is the property of the message with the same name, if it is a string. ``tokens`` are the tokens of the
    text. ``ranked`` are those tokens that have alternatives. ``every`` holds all tokens, each followed by its
    alternatives, and ``logprobs`` the log probabilities of all these.
    """

    __slots__ = ("at", "every", "logprobs", "ranked", "text", "tokens", "value")

    def __init__(self, at: Pointer, text: str | None, value: list[object]) -> None:
        self.at = at
        self.text = text
        self.value = value
        self.tokens: list[Json] = [token for token in value if isinstance(token, dict)]
        self.every: list[Json] = []
        ranked: list[tuple[Json, list[Json], int]] = []
        for token in self.tokens:
            self.every.append(token)
            alternatives = token.get("top_logprobs")
            if alternatives and isinstance(alternatives, list):
                objects = [item for item in alternatives if isinstance(item, dict)]
                ranked.append((token, objects, len(self.every)))
                self.every += objects
        self.logprobs = _logprobs_of(self.every)
        self.ranked = [
            Ranked(token, objects, self.logprobs[first : first + len(objects)]) for token, objects, first in ranked
        ]

    def pointer_of(self, wanted: Json) -> Pointer:
        """Return the pointer of one of its tokens or alternatives. Raises ``LookupError`` if it is not one of them."""
        for index, token in enumerate(self.value):
            if token is wanted:
                return (*self.at, index)
            alternatives = token.get("top_logprobs") if isinstance(token, dict) else None
            for alternative_index, alternative in enumerate(alternatives if isinstance(alternatives, list) else ()):
                if alternative is wanted:
                    return (*self.at, index, "top_logprobs", alternative_index)
        raise LookupError(wanted)


_FLOATS, _STRINGS = frozenset({float}), frozenset({str})


def _logprobs_of(tokens: list[Json]) -> list[float]:
    """Return the log probabilities of tokens. NaN stands in place of a missing one: it is not above or below others."""
    logprobs: list[Any] = list(map(dict.get, tokens, repeat("logprob")))
    return logprobs if _FLOATS.issuperset(map(type, logprobs)) else [_as_float(one) for one in logprobs]


def _as_float(value: object) -> float:
    """Return a number as a float, infinite if there is no float of its size, and NaN for other values."""
    if type(value) is float:
        return value
    if type(value) is not int:
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@lru_cache(maxsize=1)
def token_lists(completion: Completion) -> list[TokenList]:
    """Return the lists ``content`` and ``refusal`` in the log probabilities of each choice, as far as they exist."""
    return [
        TokenList((*choice.at, "logprobs", name), text, listed)
        for choice in completion.choices
        if choice.logprobs
        for name, text in (("content", choice.content), ("refusal", choice.refusal))
        if isinstance(listed := choice.logprobs.get(name), list)
    ]


def texts_of_tokens(tokens: list[Json]) -> list[str] | None:
    """Return the texts of tokens, or ``None`` if one of them is missing or not a string."""
    texts: list[Any] = list(map(dict.get, tokens, repeat("token")))
    return texts if _STRINGS.issuperset(map(type, texts)) else None


def bytes_of_token(token: Json) -> bytes | None:
    """Return the bytes of a token, or ``None`` if they are missing or if one of them is not a byte."""
    listed = token.get("bytes")
    if not isinstance(listed, list):
        return None
    try:
        return bytes(listed)
    except (TypeError, ValueError, OverflowError):  # not integers, or not from 0 to 255: the schema reports them
        return None


def encoded(text: str) -> bytes:
    """Return the text in UTF-8. Lone surrogates, which escapes in JSON can produce, are encoded like characters."""
    return text.encode("utf-8", "surrogatepass")
