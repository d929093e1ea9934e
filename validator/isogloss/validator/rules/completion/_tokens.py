"""The token lists of a choice's log probabilities, beside the text they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Choice, Json, items, string

__all__ = ["Token", "TokenList", "bytes_of", "encoded", "first", "first_of_all", "text_of", "token_lists"]


class Token(NamedTuple):
    """A token: ``value``, which stands at a ``position`` of the array at ``list_at``."""

    value: Json
    position: int
    list_at: Pointer

    @property
    def at(self) -> Pointer:
        """The place of the token."""
        return (*self.list_at, self.position)


class TokenList(NamedTuple):
    """The tokens of ``content`` or ``refusal``, each with its position in the array.

    ``text`` is the message's member of that name, if it is a string.
    """

    at: Pointer
    text: str | None
    tokens: list[tuple[int, Json]]
    value: object


def token_lists(choice: Choice) -> Iterator[TokenList]:
    """The lists ``content`` and ``refusal`` of a choice's log probabilities, where there are such lists."""
    logprobs = choice.logprobs or {}
    for name, text in (("content", choice.content), ("refusal", choice.refusal)):
        if isinstance(logprobs.get(name), list):
            at: Pointer = (*choice.at, "logprobs", name)
            yield TokenList(at, text, list(items(logprobs[name])), logprobs[name])


def first(tokens: TokenList, wrong: Callable[[Json], bool]) -> Token | None:
    """Return the first token of the text that is wrong."""
    return next((Token(token, position, tokens.at) for position, token in tokens.tokens if wrong(token)), None)


def first_of_all(tokens: TokenList, wrong: Callable[[Json], bool]) -> Token | None:
    """Return the first token that is wrong, be it one of the text or an alternative to one."""
    for number, token in tokens.tokens:
        if wrong(token):
            return Token(token, number, tokens.at)
        for position, other in items(token.get("top_logprobs")):
            if wrong(other):
                return Token(other, position, (*tokens.at, number, "top_logprobs"))
    return None


def text_of(token: Json) -> str | None:
    """The text of a token; ``None`` where it is missing or no string."""
    return string(token.get("token"))


def bytes_of(token: Json) -> bytes | None:
    """The bytes of a token; ``None`` where they are missing or not all bytes."""
    listed = token.get("bytes")
    if not isinstance(listed, list):
        return None
    try:
        return bytes(listed)
    except (TypeError, ValueError, OverflowError):  # no integers, or none of a byte: the schema's finding
        return None


def encoded(text: str) -> bytes:
    """The text in UTF-8; lone surrogates, which JSON can smuggle in, as if they were characters."""
    return text.encode("utf-8", "surrogatepass")
