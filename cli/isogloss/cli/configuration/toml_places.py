"""Find the line and column of a key in a TOML text. The parser of the standard library gives no places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

__all__ = ["place_of"]

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEYS = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = rf"\s*\[(\[)?\s*({_KEYS})\s*\]"
_ASSIGNMENT = rf"\s*({_KEYS})\s*="
_INLINE = rf"[{{,]\s*({_KEYS})\s*="

_Path: TypeAlias = tuple[str | int, ...]


def place_of(text: str, keys: Sequence[str | int]) -> tuple[int, int] | None:
    """Return the line and column, from 1, of the key that the others lead to. Numbers count the items of an array.

    If it is not found, return the place of the last key before it that is, or ``None`` if none is.
    """
    best, place = 0, None
    for path, line, column in _keys_in(text):
        if best < len(path) <= len(keys) and tuple(keys[: len(path)]) == path:
            best, place = len(path), (line, column)
    return place


def _keys_in(text: str) -> Iterator[tuple[_Path, int, int]]:
    """Yield the path of each key at the beginning of a line or in an inline table, with its line and column."""
    table: _Path = ()
    counts: dict[_Path, int] = {}  # of the tables in each array of tables
    is_text = False  # of several lines
    for number, line in enumerate(text.splitlines(), 1):
        if is_text:
            is_text = (line.count('"""') + line.count("'''")) % 2 == 0
            continue
        if header := re.match(_HEADER, line):
            table = _indexed(_split(header[2]), counts)
            if header[1]:
                counts[table] = counts.get(table, -1) + 1
                yield table, number, header.start(2) + 1
                table = (*table, counts[table])
            yield table, number, header.start(2) + 1
        elif assignment := re.match(_ASSIGNMENT, line):
            path = (*table, *_split(assignment[1]))
            yield path, number, _last_key(assignment)
            for inner in re.finditer(_INLINE, line[assignment.end() :]):
                yield (*path, *_split(inner[1])), number, assignment.end() + _last_key(inner)
            is_text = (line.count('"""') + line.count("'''")) % 2 == 1


def _indexed(keys: list[str], counts: dict[_Path, int]) -> _Path:
    """Return a path with the number of the last table behind each array of tables that it leads through."""
    path: _Path = ()
    for position, key in enumerate(keys):
        path = (*path, key)
        if path in counts and position + 1 < len(keys):
            path = (*path, counts[path])
    return path


def _split(keys: str) -> list[str]:
    return [key.strip("\"'") for key in re.findall(_KEY, keys)]


def _last_key(match: re.Match[str]) -> int:
    *_, last = re.finditer(_KEY, match[1])
    return match.start(1) + last.start() + 1
