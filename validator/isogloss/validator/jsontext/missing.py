"""The value of a text without any JSON."""

from __future__ import annotations

from typing import Final

__all__ = ["MISSING"]


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""The value of a text that holds no JSON."""
