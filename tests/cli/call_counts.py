"""Count the function calls that work takes: this number is the same on every machine, even on a busy one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count

__all__ = ["count_calls"]


def count_calls(work: Callable[[], object]) -> int:
    """Return how many functions of Python and of C are called during some work."""
    counter = count()

    def count_call(_frame: object, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            next(counter)

    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return next(counter)
