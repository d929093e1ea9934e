"""Suggesting the known name that an unknown one is closest to."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["closest"]


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, or ``None`` when none is much like it."""
    import difflib

    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)
