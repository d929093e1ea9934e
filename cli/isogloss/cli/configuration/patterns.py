"""Match paths with patterns, as in ``exclude`` and ``paths`` of a configuration."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from msgspec import Struct

from isogloss.cli.configuration import globs

__all__ = ["Pattern", "Patterns", "fault", "matches", "relative_to"]

_TOKENS = r"(?s)\*\*/|\*\*|\*|\?|\[[^\]/]+\]|."


def relative_to(path: str, folder: Path) -> str | None:
    """Return a path relative to a folder, as patterns match it, or ``None`` if it is outside of the folder."""
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    return None if relative.startswith("../") else relative


def matches(pattern: str, relative: str | None) -> bool:
    """Return whether a pattern matches a path, or a folder above it; both are relative to the same folder.

    ``*`` matches any characters but a slash, ``?`` one of them, ``**`` any folders, and ``[ab]`` one of these
    characters. A pattern without a slash matches at any depth, as in a ``.gitignore``. ``None`` never matches.
    """
    return relative is not None and bool(_compile(pattern).match(relative))


def fault(pattern: str) -> str | None:
    """Return what is wrong with a pattern, or ``None`` if it is one."""
    try:
        _compile(pattern)
    except re.error as error:
        return f"{pattern!r} is no pattern: {error.msg}"
    return None


class Pattern(Struct, frozen=True):
    """A pattern, the folder that it is relative to, and a description of where it comes from."""

    text: str
    folder: Path
    origin: str


class Patterns:
    """Patterns of files to leave out, and other patterns. Those that match nothing are reported."""

    def __init__(self, excluding: Iterable[Pattern], others: Iterable[Pattern]) -> None:
        self._excluding = tuple(excluding)
        self._others = tuple(others)
        self._excluding_folders = {pattern.folder for pattern in self._excluding}
        self._other_folders = {pattern.folder for pattern in self._others}
        self._unmatched = dict.fromkeys((*self._excluding, *self._others))

    def excluded(self, path: str) -> str | None:
        """Return why a file or folder is left out, or ``None`` if it is not."""
        reason, relatives = None, _relatives(path, self._excluding_folders)
        for pattern in self._excluding:
            if (reason is None or pattern in self._unmatched) and matches(pattern.text, relatives[pattern.folder]):
                self._unmatched.pop(pattern, None)
                reason = reason or f"excluded by {pattern.origin}"
        return reason

    def note_file(self, path: str) -> None:
        """Note which of the other patterns match a file that is checked."""
        relatives = _relatives(path, self._other_folders)
        for pattern in self._others:
            if pattern in self._unmatched and matches(pattern.text, relatives[pattern.folder]):
                del self._unmatched[pattern]

    def unmatched(self, concerned: Callable[[Pattern], bool]) -> list[str]:
        """Return a message for each concerned pattern that has matched nothing."""
        return [f"{pattern.origin} matches nothing" for pattern in self._unmatched if concerned(pattern)]


def _relatives(path: str, folders: Iterable[Path]) -> dict[Path, str | None]:
    return {folder: relative_to(path, folder) for folder in folders}


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    bare = pattern.removeprefix("./").rstrip("/")
    anchored = bare if "/" in pattern.rstrip("/") else f"**/{bare}"
    tokens = [_translate(token) for token in re.findall(_TOKENS, anchored.lstrip("/"))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of characters that may mean more in a later Python
        return re.compile(globs.expression(tokens, r"(?:/|\Z)"), re.DOTALL)


def _translate(token: str) -> str:
    if token in (globs.NAME, globs.PATH, globs.FOLDERS):
        return token
    if token == "?":
        return globs.CHARACTER
    if len(token) > 1:
        inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") and len(inner) > 1 else f"[{inner}]"
    return re.escape(token)
