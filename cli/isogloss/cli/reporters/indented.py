"""Write an indented JSON document whose arrays may have a hundred thousand items, some items at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, TextIO

import orjson

__all__ = ["write_indented"]

_AT_ONCE = 1000
_STEP = "  "


def write_indented(document: object, name: str, depth: int, arrays: Sequence[Iterable[Any]], out: TextIO) -> None:
    """Write a document with long arrays, each the value of a property ``name`` that stands ``depth`` levels deep.

    In ``document`` these arrays are empty; ``arrays`` holds what they have to hold, in their order.
    """
    opening = f'\n{_STEP * depth}"{name}": ['
    before, *others = _indented(document).split(f"{opening}]")
    out.write(before)
    for items, after in zip(arrays, others, strict=True):
        left, begins = iter(items), opening
        while some := list(islice(left, _AT_ONCE)):
            out.write(begins)
            out.write(_inside(some, depth))
            begins = ","
        out.write(f"{opening}]" if begins is opening else f"\n{_STEP * depth}]")
        out.write(after)
    out.write("\n")


def _inside(items: list[Any], depth: int) -> str:
    """Write some items as they stand between the brackets of an array that is a property at that depth."""
    nested = items
    for _ in range(depth):
        nested = [nested]
    levels = range(depth + 1)
    start = sum(len(f"\n{_STEP * level}[") for level in levels) - 1
    end = sum(len(f"\n{_STEP * level}]") for level in levels)
    return _indented(nested)[start:-end]


def _indented(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
