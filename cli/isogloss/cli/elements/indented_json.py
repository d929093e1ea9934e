"""Write indented JSON documents: whole, or some items at a time if an array may have a hundred thousand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, TextIO

import click
import orjson

from isogloss.validator.quoting import printable_json

__all__ = ["print_json", "write_document", "write_indented"]

_AT_ONCE = 1000
_INDENT = "  "


def print_json(value: object) -> None:
    """Print a value as indented JSON, with an escape for every character that is not printable."""
    click.echo(printable_json(_indented_text(value)))


def write_document(document: object, out: TextIO) -> None:
    """Write a document whole. One with long arrays takes much memory then: see :func:`write_indented`."""
    out.write(f"{_indented_text(document)}\n")


def write_indented(document: object, name: str, depth: int, arrays: Sequence[Iterable[Any]], out: TextIO) -> None:
    """Write a document with long arrays, each the value of a property ``name`` that stands ``depth`` levels deep.

    In ``document`` these arrays are empty; ``arrays`` holds what they have to hold, in their order.
    """
    opening = f'\n{_INDENT * depth}"{name}": ['
    head, *tails = _indented_text(document).split(f"{opening}]")
    out.write(head)
    for items, tail in zip(arrays, tails, strict=True):
        remaining, separator = iter(items), opening
        while batch := list(islice(remaining, _AT_ONCE)):
            out.write(separator)
            out.write(_items_text(batch, depth))
            separator = ","
        out.write(f"{opening}]" if separator is opening else f"\n{_INDENT * depth}]")
        out.write(tail)
    out.write("\n")


def _items_text(items: list[Any], depth: int) -> str:
    """Return items as they are written between the brackets of an array that is a property at this depth."""
    nested = items
    for _ in range(depth):
        nested = [nested]
    levels = range(depth + 1)
    start = sum(len(f"\n{_INDENT * level}[") for level in levels) - 1
    end = sum(len(f"\n{_INDENT * level}]") for level in levels)
    return _indented_text(nested)[start:-end]


def _indented_text(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
