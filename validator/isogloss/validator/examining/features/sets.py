"""Make sets of features. Each set is made once."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["NONE", "SIGNS", "combined", "combined_of", "joined"]

NONE: frozenset[str] = frozenset()

SIGNS = frozenset({
    "broken connection", "changing envelope", "chunks after the finish", "data after [DONE]", "delta", "empty",
    "empty choices", "encoded twice", "entities", "error beside choices", "error events", "faulty events", "float",
    "late creation time", "low usage", "marks", "no [DONE]", "no calls", "no chunks", "no content", "no stream",
    "no tools", "no usage", "number of choices", "padded", "repeated usage", "request without a stream",
    "several [DONE]", "several calls", "slash in model", "stop beside calls", "text", "tool_choice of an object",
    "two token limits", "unsound", "unusual arguments", "unusual calls", "unusual chunks", "unusual content type",
    "unusual error", "unusual finish", "unusual fragments", "unusual framing", "unusual index", "unusual role",
    "unusual status", "unusual time", "unusual total", "word for null", "words about length"
})  # fmt: skip
"""The features that are signs of a deviation, such as an empty id. All others name subjects, which rules are about."""


_MANY = 64
"""From so many names of features on, some are surely named several times."""


@lru_cache(maxsize=4096)
def combined(*features: str) -> frozenset[str]:
    """Return the set of some features. Empty strings are left out."""
    return frozenset(features) - {""}


def combined_of(found: list[str]) -> frozenset[str]:
    """Return the set of features that were found one by one. Very many choices have very many, but few different ones.

    So that these are not kept in the cache, each is given to it once.
    """
    return combined(*(found if len(found) < _MANY else dict.fromkeys(found)))


@lru_cache(maxsize=4096)
def joined(features: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the features of two parts of an exchange together."""
    return features | others
