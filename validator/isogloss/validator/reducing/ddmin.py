"""Leave out as many items of a sequence as possible, by delta debugging.

The algorithm follows A. Zeller and R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input* (2002):
https://www.st.cs.uni-saarland.de/papers/tse2002/. It does not test subsets alone, since such tests hardly ever succeed
for payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["minimise"]

_Item = TypeVar("_Item")
_MANY = 64
"""With more items, runs before the end are left out first."""
_LONGEST_END = 3
"""The highest number of last items that stay then: in a stream, the finish reason, the usage and ``[DONE]``."""


def minimise(items: Sequence[_Item], holds: Callable[[list[_Item]], bool]) -> list[_Item]:
    """Leave out runs of items as long as ``holds`` accepts the rest, and return the items that are left.

    Long runs are tried first. Among runs of the same length, the last one is tried first: the later parts of a
    conversation follow from the earlier ones.
    """
    kept = _without_runs_before_end(items, holds) if len(items) > _MANY else list(items)
    size = len(kept)
    while size:
        end = len(kept)
        while end > 0:
            start = max(0, end - size)
            rest = kept[:start] + kept[end:]
            if holds(rest):
                kept = rest
            end = start
        size = (min(size, len(kept)) + 1) // 2 if size > 1 else 0
    return kept


def _without_runs_before_end(items: Sequence[_Item], holds: Callable[[list[_Item]], bool]) -> list[_Item]:
    """Leave out the longest runs that end one to three items before the end.

    These are few candidates. :func:`minimise` alone would leave out one item after the other if none can go before the
    one behind it, and the last ones cannot go.
    """
    kept = list(items)
    for end in range(1, _LONGEST_END + 1):
        size = len(kept) - end
        while 0 < size <= len(kept) - end:
            if holds(rest := kept[: len(kept) - end - size] + kept[len(kept) - end :]):
                kept = rest
                size = min(2 * size, len(kept) - end)
            else:
                size //= 2
    return kept
