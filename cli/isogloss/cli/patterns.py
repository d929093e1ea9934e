"""Patterns of paths, as in ``exclude`` and ``paths`` of a configuration."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

__all__ = ["matches"]

_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|.", re.DOTALL)
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str, folder: Path) -> bool:
    """Whether a pattern, relative to a folder, matches a path or a directory above it.

    ``*`` and ``?`` stand for anything but a slash, ``**`` for any directories, ``[ab]`` for one of these characters. A
    pattern without a slash matches at any depth, as in a ``.gitignore``. Nothing outside of the folder ever matches.
    """
    inside = os.path.relpath(path, folder).replace(os.sep, "/")
    return not inside.startswith("../") and bool(_compiled(pattern).match(inside))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    bare = pattern.removeprefix("./").rstrip("/")
    anchored = bare if "/" in pattern.rstrip("/") else f"**/{bare}"
    parts = (_translated(part) for part in _PARTS.findall(anchored.lstrip("/")))
    return re.compile("".join(parts) + r"(?:/.*)?\Z", re.DOTALL)


def _translated(part: str) -> str:
    if part in _WILD:
        return _WILD[part]
    if len(part) > 1:
        inner = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") and len(inner) > 1 else f"[{inner}]"
    return re.escape(part)
