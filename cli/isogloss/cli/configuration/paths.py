"""Name paths as findings and messages name them, and leave out those that are named twice."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from isogloss.validator.findings import STDIN
from isogloss.validator.secrets import mask_text

__all__ = ["display_path", "distinct", "name_of", "outermost"]

_Found = TypeVar("_Found")


def display_path(path: str) -> str:
    """Return a path as findings name it: relative to the current folder, unless the file is outside of it."""
    if not os.path.isabs(path):
        return path
    relative = os.path.relpath(path, Path.cwd())
    return path if relative.startswith("..") else relative


def name_of(path: str) -> str:
    """Return the name of a file in findings, without keys."""
    return STDIN if path == "-" else mask_text(path)


def outermost(name: str) -> str:
    """Return the file of a name in findings: of ``logs.zip!/a.json``, a member of an archive, this is ``logs.zip``."""
    return name.partition("!/")[0]


def distinct(found: Iterable[_Found], given: Sequence[str]) -> Iterable[_Found]:
    """Return the files that were found under the given paths, each once, although these may overlap.

    What is no path, such as the reason why a file is left out, also comes once.
    """
    return found if len(given) < 2 else _distinct(found)


def _distinct(found: Iterable[_Found]) -> Iterator[_Found]:
    seen: set[object] = set()
    real_folder = lru_cache(os.path.realpath)
    for one in found:
        key: object = one
        if isinstance(one, str) and one != "-" and "://" not in one:
            folder, name = os.path.split(one)
            key = os.path.join(real_folder(folder), name)  # a link to a file is a file of its own
        if key not in seen:
            seen.add(key)
            yield one
