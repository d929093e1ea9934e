"""Describe what an exchange contains, as far as rules need it, and rates and totals count it."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from isogloss.validator.examining import features
from isogloss.validator.exchange import Kind

__all__ = ["Contents", "contents_of"]


class Contents(Struct, frozen=True, cache_hash=True):
    """The contents of an exchange. Most exchanges have the same contents as another one, so runs count by them.

    ``features`` are those of the whole exchange. ``kinds`` are the kinds of its request and of an answer that is one
    payload. ``active`` holds the names of the rules that counted, or is ``None`` if all did. ``expected`` holds the
    names of the user's own rules whose path existed.
    """

    features: frozenset[str]
    kinds: tuple[Kind, ...] = ()
    active: frozenset[str] | None = None
    expected: frozenset[str] = frozenset()

    @property
    def streams(self) -> int:
        """The number of streams."""
        return int("stream" in self.features)


@lru_cache(maxsize=4096)
def contents_of(
    request: frozenset[str] | None,
    exchange: frozenset[str],
    completion: frozenset[str] | None,
    answer: Kind | None,
    active: frozenset[str] | None,
) -> Contents:
    """Return the contents of an exchange.

    ``request``, ``exchange`` and ``completion`` are the features of these. ``answer`` is the kind of the answer if it
    is one payload.
    """
    kinds: list[Kind] = ["request"] if "request" in exchange else []
    if answer is not None:
        kinds.append(answer)
    return Contents(features.of_pair(request, exchange, completion), tuple(kinds), active)
