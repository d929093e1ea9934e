"""What somebody may have meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["TYPING_ERROR", "closest"]

TYPING_ERROR = 0.85
"""A likeness that a slip of the keyboard leaves, and another word does not."""


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that is most like a name, or ``None`` when none is like it.

    ``likeness`` is the least that counts, between 0 and 1: the default is for names that people type,
    :data:`TYPING_ERROR` for names in payloads, where another word is more likely than a slip. Case, and what joins the
    words of a name, make no difference.
    """
    import difflib  # takes a while to load, and is needed for unknown names alone

    by_letters = {_letters(one): one for one in known}
    near = difflib.get_close_matches(_letters(name), list(by_letters), n=1, cutoff=likeness)
    return by_letters[near[0]] if near else None


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
