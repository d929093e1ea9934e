"""Delta debugging of a sequence: leave out as much as can be left out.

After A. Zeller and R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input* (2002), without the tests of
subsets alone, which hardly ever hold for payloads: https://www.st.cs.uni-saarland.de/papers/tse2002/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["fewest"]

_Item = TypeVar("_Item")


def fewest(items: Sequence[_Item], holds: Callable[[list[_Item]], bool]) -> list[_Item]:
    """The items that are left when runs of them are left out as long as ``holds`` says so.

    Long runs are tried first, and of these the last: what comes later in a conversation follows from what came before.
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
