"""Search long texts for a few bytes, several times faster than ``in`` does."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import ahocorasick_rs

__all__ = ["holds_any"]

_SHORT = 1 << 12
"""Texts up to this size are searched as fast without a finder."""
_FIRST_WINDOW, _LARGEST_WINDOW = 1 << 14, 1 << 20
"""A finder finds all matches in a window, and there may be many: the windows grow from the first to the second size."""


@lru_cache(1024)
def _finder(needle: bytes) -> Callable[[memoryview], list[tuple[int, int, int]]]:
    # one finder for two needles is slower than a finder for each
    return ahocorasick_rs.BytesAhoCorasick((needle,)).find_matches_as_indexes


def holds_any(data: bytes, *needles: bytes, start: int = 0) -> bool:
    """Return whether a text has one of some short sequences of bytes that ends behind ``start``."""
    before = max(map(len, needles)) - 1
    if len(data) - start <= _SHORT:
        return any(data.find(needle, max(0, start - before)) >= 0 for needle in needles)
    view, size = memoryview(data), _FIRST_WINDOW
    while start < len(data):
        window = view[max(0, start - before) : start + size]
        if any(_finder(needle)(window) for needle in needles):
            return True
        start, size = start + size, min(16 * size, _LARGEST_WINDOW)
    return False
