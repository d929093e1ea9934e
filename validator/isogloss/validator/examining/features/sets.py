"""Make sets of features. Each set is made once."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["NONE", "SIGNS", "combined", "joined"]

NONE: frozenset[str] = frozenset()

SIGNS = frozenset({
    "broken", "broken events", "call after call", "changing envelope", "chunks behind the finish",
    "data behind the end", "delta", "empty", "empty choices", "entities", "error events", "error status", "float",
    "late time", "marks", "no calls", "no chunks", "no content", "no end", "no stream", "no stream asked for",
    "no tools", "no usage", "number of choices", "odd arguments", "odd calls", "odd chunks", "odd content type",
    "odd error", "odd finish", "odd fragments", "odd framing", "odd index", "odd role", "odd time", "odd total",
    "padded", "several ends", "slash in model", "stop beside calls", "text", "tool_choice of an object",
    "two token limits", "unsound", "usage after usage", "zero usage",
})  # fmt: skip
"""The features that are signs of a deviation, such as an empty id. All others name subjects, which rules are about."""


@lru_cache(maxsize=4096)
def combined(*features: str) -> frozenset[str]:
    """Return the set of some features. Empty strings are left out."""
    return frozenset(features) - {""}


@lru_cache(maxsize=4096)
def joined(features: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the features of two parts of an exchange together."""
    return features | others
