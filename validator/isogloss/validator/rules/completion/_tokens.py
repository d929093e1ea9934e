"""The token lists of a choice's log probabilities, beside the text they are of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Choice, Json, items, string

__all__ = ["Token", "TokenList", "alternatives", "encoded", "token_lists"]


class Token(NamedTuple):
    """A token: ``value``, which stands at a ``position`` of the array at ``list_at``."""

    value: Json
    position: int
    list_at: Pointer

    @property
    def at(self) -> Pointer:
        """The place of the token."""
        return (*self.list_at, self.position)

    @property
    def text(self) -> str | None:
        """Its text; ``None`` where it is missing or no string."""
        return string(self.value.get("token"))

    @property
    def bytes(self) -> bytes | None:
        """Its bytes; ``None`` where they are missing or not all bytes."""
        listed = self.value.get("bytes")
        if not isinstance(listed, list):
            return None
        try:
            return bytes(listed)
        except (TypeError, ValueError, OverflowError):  # no integers, or none of a byte: the schema's finding
            return None


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
    listed = token.value.get("top_logprobs")
    return _tokens(listed, (*token.at, "top_logprobs")) if listed else iter(())


def encoded(text: str) -> bytes:
    """The text in UTF-8; lone surrogates, which JSON can smuggle in, as if they were characters."""
    return text.encode("utf-8", "surrogatepass")


def _tokens(value: object, at: Pointer) -> Iterator[Token]:
    for position, item in items(value):
        yield Token(item, position, at)
