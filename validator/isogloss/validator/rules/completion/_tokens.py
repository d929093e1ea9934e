"""The token lists of a choice's log probabilities, beside the text they are of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Choice, Json, items

__all__ = ["Token", "TokenList", "alternatives", "encoded", "token_lists"]


class Token(NamedTuple):
    """A token: ``text`` and ``bytes`` as sent, ``None`` where they are missing or of a wrong type."""

    at: Pointer
    text: str | None
    bytes: bytes | None
    value: Json


class TokenList(NamedTuple):
    """The tokens of ``content`` or ``refusal``; ``text`` is the message's member of that name, if it is a string."""

    at: Pointer
    text: str | None
    tokens: list[Token]
    value: object


def token_lists(choice: Choice) -> Iterator[TokenList]:
    """The lists ``content`` and ``refusal`` of a choice's log probabilities, where there are such lists."""
    logprobs = choice.logprobs or {}
    for name, text in (("content", choice.content), ("refusal", choice.refusal)):
        if isinstance(logprobs.get(name), list):
            at: Pointer = (*choice.at, "logprobs", name)
            yield TokenList(at, text, list(_tokens(logprobs[name], at)), logprobs[name])


def alternatives(token: Token) -> Iterator[Token]:
    """The tokens that might have stood at a token's place."""
    return _tokens(token.value.get("top_logprobs"), (*token.at, "top_logprobs"))


def encoded(text: str) -> bytes:
    """The text in UTF-8; lone surrogates, which JSON can smuggle in, as if they were characters."""
    return text.encode("utf-8", "surrogatepass")


def _tokens(value: object, at: Pointer) -> Iterator[Token]:
    for position, item in items(value):
        text = item.get("token")
        yield Token((*at, position), text if isinstance(text, str) else None, _bytes(item.get("bytes")), item)


def _bytes(value: object) -> bytes | None:
    if not isinstance(value, list):
        return None
    try:
        return bytes(value)
    except (TypeError, ValueError, OverflowError):  # no integers, or none of a byte: the schema's finding
        return None
