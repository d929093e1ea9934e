"""Suggest the known name that somebody may have meant by an unknown name."""

from __future__ import annotations

from collections.abc import Collection, Iterable

__all__ = ["closest", "hint", "misspelt", "unknown"]

_SHORTEST_SWAPPED = 4
"""The least length of a name in which two swapped letters are an error: shorter words are often others."""
_LIKENESS = 0.75
"""How similar two names of a kind have to be: below, such as lambda and ollama, they are those of two vendors."""


def closest(name: str, known: Iterable[str], likeness: float = 0.65) -> str | None:
    """Return the known name that is most similar to a name, or ``None`` if none is similar.

    ``likeness`` is the lowest similarity that counts, between 0 and 1. Upper and lower case make no difference, nor do
    the characters that join words.
    """
    return _closest(_letters(name), _by_letters(known), likeness)


def _by_letters(known: Iterable[str]) -> dict[str, str]:
    return {_letters(known_name): known_name for known_name in known}


def _closest(letters: str, by_letters: dict[str, str], likeness: float) -> str | None:
    """Return what :func:`closest` does, given the letters of the name, and of the known ones."""
    possible = [candidate for candidate in by_letters if _most_likeness(letters, candidate) >= likeness]
    if not possible:
        return None
    import difflib  # slow to load, and needed only for names that share most of their letters

    near = difflib.get_close_matches(letters, possible, n=1, cutoff=likeness)
    return by_letters[near[0]] if near else None


def _most_likeness(letters: str, others: str) -> float:
    """Return the highest similarity that two names can have, whatever the order of their letters."""
    shared = set(letters) & set(others)
    count = min(sum(map(letters.count, shared)), sum(map(others.count, shared)))
    length = len(letters) + len(others)
    return 2 * count / length if length else 1.0


def unknown(what: str, name: str, known: Collection[str], see: str = "") -> str:
    """Return the message for a name that nothing of this kind has."""
    return f"no {what} is called {name!r}; {hint(name, known, see)}"


def hint(name: str, known: Collection[str], see: str = "") -> str:
    """Return what to use in place of an unknown name.

    It is the most similar of the known names, or the shortest of those that begin with it. If there is none, it is the
    command that lists them, ``see``, or all.
    """
    longer = (known_name for known_name in known if len(name) > 2 and _letters(known_name).startswith(_letters(name)))
    if near := closest(name, known, _LIKENESS) or min(longer, key=len, default=None):
        return f"did you mean {near!r}?"
    return f"see: {see}" if see else f"known are {', '.join(known) or 'none'}"


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that differs from a name only by typing errors, or ``None``.

    Two neighbours are swapped, or at most two letters are missing or added, or one is replaced. These must be few,
    compared with the length of the name: in payloads, another word is more likely than a typing error.
    """
    letters, by_letters = _letters(name), _by_letters(known)
    size = len(letters)
    if size >= _SHORTEST_SWAPPED:
        for others in by_letters:
            if len(others) == size and _are_neighbours_swapped(letters, others):
                return by_letters[others]
    near = _closest(letters, by_letters, 0.85)
    if near is None:
        return None
    from difflib import SequenceMatcher

    near_letters = _letters(near)
    equal_letters = sum(
        block.size for block in SequenceMatcher(None, letters, near_letters, autojunk=False).get_matching_blocks()
    )
    return near if len(letters) + len(near_letters) - 2 * equal_letters <= 2 else None


def _are_neighbours_swapped(name: str, known: str) -> bool:
    """Return whether a name differs from a known one of the same length only by the order of two neighbours."""
    first = next((at for at, (letter, other) in enumerate(zip(name, known, strict=True)) if letter != other), None)
    return first is not None and name == f"{known[:first]}{known[first : first + 2][::-1]}{known[first + 2 :]}"


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
