"""Find out whether an object is no completion and no chunk itself, but holds one."""

from __future__ import annotations

from isogloss.validator.pointer import Pointer
from isogloss.validator.views import Json

__all__ = ["pointer_of_wrapped"]

_DEEPEST = 2
"""How many objects may stand around a completion or a chunk. The known servers have one."""


def pointer_of_wrapped(value: Json, depth: int = _DEEPEST) -> Pointer:
    """Return the pointer of the first object inside a value that has `choices`; empty if there is none."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            if isinstance(inner.get("choices"), list):
                return (name,)
            if depth > 1 and (pointer := pointer_of_wrapped(inner, depth - 1)):
                return (name, *pointer)
    return ()
