"""The token lists of a choice's log probabilities, beside the text they are of."""

from __future__ import annotations

from functools import lru_cache

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Completion, Json, string

__all__ = ["TokenList", "bytes_of", "encoded", "text_of", "token_lists"]


class TokenList:
    """The tokens of ``content`` or ``refusal`` of a choice, with ``at`` as pointer and ``value`` as the array.

    ``text`` is the message's member of that name, if it is a string. ``tokens`` are those of the text, ``ranked`` those
    of them that have alternatives, with these, and ``every`` are all: each token with its alternatives behind it.
    """

    __slots__ = ("at", "every", "ranked", "text", "tokens", "value")

    def __init__(self, at: Pointer, text: str | None, value: list[object]) -> None:
        self.at = at
        self.text = text
        self.value = value
        self.tokens: list[Json] = [token for token in value if isinstance(token, dict)]
        self.ranked: list[tuple[Json, list[Json]]] = []
        self.every: list[Json] = []
        for token in self.tokens:
            self.every.append(token)
            listed = token.get("top_logprobs")
            if listed and isinstance(listed, list):
                others = [other for other in listed if isinstance(other, dict)]
                self.ranked.append((token, others))
                self.every += others

    def place(self, one: Json) -> Pointer:
        """The pointer of one of its tokens."""
        for number, token in enumerate(self.value):
            if token is one:
                return (*self.at, number)
            listed = token.get("top_logprobs") if isinstance(token, dict) else None
            for position, other in enumerate(listed if isinstance(listed, list) else ()):
                if other is one:
                    return (*self.at, number, "top_logprobs", position)
        raise LookupError(one)


@lru_cache(maxsize=1)
def token_lists(completion: Completion) -> list[TokenList]:
    """The lists ``content`` and ``refusal`` of each choice's log probabilities, where there are such lists."""
    return [
        TokenList((*choice.at, "logprobs", name), text, listed)
        for choice in completion.choices
        if choice.logprobs
        for name, text in (("content", choice.content), ("refusal", choice.refusal))
        if isinstance(listed := choice.logprobs.get(name), list)
    ]


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
