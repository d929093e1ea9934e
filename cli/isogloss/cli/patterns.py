"""Patterns of paths, as in ``exclude`` and ``paths`` of a configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Pattern", "Patterns", "matches"]

_PARTS = r"(?s)\*\*/|\*\*|\*|\?|\[[^\]/]+\]|."
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str, folder: Path) -> bool:
    """Return whether a pattern, relative to a folder, matches a path or a directory above it.

    ``*`` matches any characters but a slash, ``?`` one of them, ``**`` any directories, and ``[ab]`` one of these
    characters. A pattern without a slash matches at any depth, as in a ``.gitignore``. A path outside of the folder
    never matches.
    """
    inside = os.path.relpath(path, folder).replace(os.sep, "/")
    return not inside.startswith("../") and bool(_compiled(pattern).match(inside))


class Pattern(NamedTuple):
    """A pattern, the folder that it is relative to, and who says it, in words."""

    text: str
    folder: Path
    said: str


class Patterns:
    """Patterns of what to leave out, and other patterns; both report which of them match nothing."""

    def __init__(self, excluding: Iterable[Pattern], others: Iterable[Pattern] = ()) -> None:
        self._excluding = tuple(excluding)
        self._others = tuple(others)
        self._unmatched = dict.fromkeys((*self._excluding, *self._others))

    def excluded(self, path: str) -> str | None:
        """Return why a file or directory is left out, or ``None`` if it is not."""
        reason = None
        for one in self._excluding:
            if (reason is None or one in self._unmatched) and matches(one.text, path, one.folder):
                self._unmatched.pop(one, None)
                reason = reason or f"excluded by {one.said}"
        return reason

    def seen(self, path: str) -> None:
        """Note which of the other patterns match a file that is checked."""
        for one in self._others:
            if one in self._unmatched and matches(one.text, path, one.folder):
                del self._unmatched[one]

    def unmatched(self, concerned: Callable[[Pattern], bool]) -> list[str]:
        """Return a message for each concerned pattern that has matched nothing."""
        return [f"{one.said} matches nothing" for one in self._unmatched if concerned(one)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    bare = pattern.removeprefix("./").rstrip("/")
    anchored = bare if "/" in pattern.rstrip("/") else f"**/{bare}"
    parts = (_translated(part) for part in re.findall(_PARTS, anchored.lstrip("/")))
    return re.compile("".join(parts) + r"(?:/.*)?\Z", re.DOTALL)


def _translated(part: str) -> str:
    if part in _WILD:
        return _WILD[part]
    if len(part) > 1:
        inner = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") and len(inner) > 1 else f"[{inner}]"
    return re.escape(part)
