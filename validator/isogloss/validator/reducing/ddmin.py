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


def minimise(items: Sequence[_Item], holds: Callable[[list[_Item]], bool]) -> list[_Item]:
    """Leave out runs of items as long as ``holds`` accepts the rest, and return the items that are left.

    Long runs are tried first. Among runs of the same length, the last one is tried first: the later parts of a
    conversation follow from the earlier ones.
    """
    kept = list(items)
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
