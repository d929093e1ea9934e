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
    """The items that are left when runs of them are left out, longest runs first, as long as ``holds`` says so."""
    kept = list(items)
    size = len(kept)
    while size:
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + size :]
            if holds(rest):
                kept = rest
            else:
                start += size
        size = min(size, len(kept)) // 2 if size > 1 else 0
    return kept
