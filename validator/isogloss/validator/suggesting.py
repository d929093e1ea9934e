"""What somebody may have meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["closest", "misspelt"]


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that is most like a name, or ``None`` when none is like it.

    ``likeness`` is the least that counts, between 0 and 1. Case, and what joins the words, make no difference.
    """
    import difflib  # takes a while to load, and is needed for unknown names alone

    by_letters = {_letters(one): one for one in known}
    near = difflib.get_close_matches(_letters(name), list(by_letters), n=1, cutoff=likeness)
    return by_letters[near[0]] if near else None


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs from a name by slips of the keyboard alone, or ``None``.

    At most two letters are missing, added or exchanged, and few of the name's: in payloads another word is more likely
    than a slip.
    """
    from difflib import SequenceMatcher

    near = closest(name, known, 0.85)
    if near is None:
        return None
    one, other = _letters(name), _letters(near)
    alike = sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())
    return near if len(one) + len(other) - 2 * alike <= 2 else None


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
