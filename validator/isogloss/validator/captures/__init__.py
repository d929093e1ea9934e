"""Read captures: the format that recognises a capture most surely reads its exchanges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Protocol, cast

import ahocorasick_rs

from isogloss.validator.captures import formats
from isogloss.validator.captures.capture import MOST_SKIPPED, Capture, TooLarge, Unreadable
from isogloss.validator.captures.unread import explain_skipped
from isogloss.validator.captures.wrapping import unwrap
from isogloss.validator.exchange import Exchange, Skipped

__all__ = [
    "MOST_SKIPPED",
    "Capture",
    "Format",
    "TooLarge",
    "UnknownFormat",
    "Unreadable",
    "divisible_format",
    "input_formats",
    "read",
    "skipped_rest",
]  # fmt: skip


class Format(Protocol):
    """An input format: every module of the package ``formats`` is one.

    It may say in ``BEGINS_AS_JSON`` whether its captures begin with a JSON object or array. It may list byte strings in
    ``WORDS``, if the beginning of each of its captures holds one of them. Other captures are not shown to it then. This
    saves time: most captures cannot have most formats.
    """

    NAME: str

    def recognise(self, capture: Capture) -> int:
        """Return how surely the capture is of this format, from 0 to 100."""

    def read(self, capture: Capture) -> Iterator[Exchange | Skipped]:
        """Yield the exchanges of the capture, in order, and the parts that are not checked."""


class UnknownFormat(ValueError):
    """No input format has that name."""


@cache
def input_formats() -> dict[str, Format]:
    """Return every input format by name."""
    stems = sorted(entry.removesuffix(".py") for entry in os.listdir(formats.__path__[0]) if entry.endswith(".py"))
    modules = [cast("Format", import_module(f"{formats.__name__}.{stem}")) for stem in stems if stem != "__init__"]
    return {module.NAME: module for module in modules}


def read(capture: Capture, name: str | None = None) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in a capture, read as the named format or as the one that recognises it most surely.

    Compressed files and archives are unpacked. A capture that no format recognises, and one that cannot be read any
    further, yields a :class:`Skipped`. If there are very many skipped parts, the last one says how many more there are.
    Raises :class:`UnknownFormat` for an unknown name, and ``OSError`` if reading raises it.
    """
    if name is not None and name not in input_formats():
        raise UnknownFormat(name)
    skipped = 0
    for found in _read(capture, name):
        if not isinstance(found, Exchange):
            skipped += found.parts
            if skipped > MOST_SKIPPED:
                continue
        yield found
    if skipped > MOST_SKIPPED:
        yield skipped_rest(capture.name, skipped - MOST_SKIPPED)


def skipped_rest(file: str, count: int) -> Skipped:
    """Return a :class:`Skipped` that says how many more parts of a file are skipped, without naming them."""
    return Skipped(file=file, reason=f"{count:,} more parts that are not checked")


def _read(capture: Capture, name: str | None) -> Iterator[Exchange | Skipped]:
    try:
        inner_captures = unwrap(capture)
        if inner_captures is not None:
            for inner_capture in inner_captures:
                if isinstance(inner_capture, Skipped):
                    yield inner_capture
                else:
                    yield from _read(inner_capture, name)
        else:
            format_ = input_formats()[name] if name is not None else _surest(capture)
            found = _unrecognised(capture) if format_ is None else format_.read(capture)
            yield from explain_skipped(capture, found)
    except Unreadable as error:
        yield Skipped(file=capture.name, reason=str(error))


def _unrecognised(capture: Capture) -> Iterator[Skipped]:
    yield Skipped(file=capture.name, reason=capture.unrecognised())


def divisible_format(capture: Capture, name: str | None = None) -> str | None:
    """Return the format of a capture whose parts can be read by themselves, ``jsonl`` or ``parquet``, else ``None``.

    It is the named format, or the one that recognises the capture. A capture that is packed has none.
    """
    try:
        if unwrap(capture) is not None:
            return None
    except Unreadable:
        return None
    surest = _surest(capture)
    found = name or (surest.NAME if surest is not None else "")
    return found if found in ("jsonl", "parquet") else None


@cache
def _words() -> tuple[bytes, ...]:
    """Return the words of all formats."""
    return tuple(sorted({word for format_ in input_formats().values() for word in getattr(format_, "WORDS", ())}))


@cache
def _word_finder() -> ahocorasick_rs.BytesAhoCorasick:
    return ahocorasick_rs.BytesAhoCorasick(_words(), matchkind=ahocorasick_rs.MatchKind.LeftmostFirst)


@cache
def _candidates(words: frozenset[int], as_json: bool) -> tuple[tuple[Callable[[Capture], int], Format], ...]:
    """Return the formats that a capture with these words can have, each with its function ``recognise``.

    ``words`` are numbers of :func:`_words`. ``as_json`` says whether the capture begins like JSON.
    """
    found = {_words()[number] for number in words}

    def is_candidate(format_: Format) -> bool:
        needed = getattr(format_, "WORDS", None)
        begins_as_json = getattr(format_, "BEGINS_AS_JSON", as_json)
        return begins_as_json == as_json and (needed is None or not found.isdisjoint(needed))

    return tuple((one.recognise, one) for _, one in sorted(input_formats().items()) if is_candidate(one))


def _surest(capture: Capture) -> Format | None:
    words = frozenset([number for number, _, _ in _word_finder().find_matches_as_indexes(capture.beginning)])
    surest, highest = None, 1
    for recognise, format_ in _candidates(words, capture.begins_as_json):
        if (sureness := recognise(capture)) >= highest:
            surest, highest = format_, sureness
    return surest
