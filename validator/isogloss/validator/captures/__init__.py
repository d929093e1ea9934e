"""Read captures: the format that recognises a capture most surely reads its exchanges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import Protocol, cast

import ahocorasick_rs
from msgspec.structs import replace

from isogloss.validator.captures import formats
from isogloss.validator.captures.capture import MOST_BETWEEN_CHUNKS, Capture
from isogloss.validator.captures.document import SeveralDocuments
from isogloss.validator.captures.formats import begins_as_json, begins_otherwise
from isogloss.validator.captures.limits import MOST_SKIPPED, TooLarge, Unreadable
from isogloss.validator.captures.skip_reasons import explain_skipped
from isogloss.validator.captures.wrapping import unwrap
from isogloss.validator.exchange import Exchange, Skipped, Why
from isogloss.validator.text import Text

__all__ = [
    "MOST_BETWEEN_CHUNKS",
    "MOST_SKIPPED",
    "Capture",
    "Format",
    "NamedSkips",
    "TooLarge",
    "UnknownFormat",
    "Unreadable",
    "divisible_format",
    "formats_beginning",
    "input_formats",
    "read",
]  # fmt: skip


class Format(Protocol):
    """An input format: every module of the package ``formats`` and of its folders is one.

    It may list byte strings in ``WORDS``, if the beginning of each of its captures holds one of them. Other captures
    are not shown to it then, nor those that do not begin as its folder says. This saves time: most captures cannot have
    most formats.
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
    return formats_beginning(as_json=True) | formats_beginning(as_json=False)


@cache
def formats_beginning(*, as_json: bool) -> dict[str, Format]:
    """Return the formats whose captures can begin with a JSON object or array, or with something else, by name."""
    folders = [formats, begins_as_json if as_json else begins_otherwise]
    modules = [cast("Format", import_module(name)) for folder in folders for name in _modules(folder)]
    return {module.NAME: module for module in modules}


def _modules(folder: ModuleType) -> list[str]:
    """Return the names of the modules in a folder."""
    entries = sorted(os.listdir(folder.__path__[0]))
    return [
        f"{folder.__name__}.{entry.removesuffix('.py')}"
        for entry in entries
        if entry.endswith(".py") and entry != "__init__.py"
    ]


def read(capture: Capture, name: str | None = None) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in a capture, read as the named format or as the one that recognises it most surely.

    Compressed files and archives are unpacked. A capture that no format recognises, and one that cannot be read any
    further, yields a :class:`Skipped`. Of very many skipped parts, only the first ones are yielded, the first of the
    others that could not be read, and a last one that says how many more there are. Raises :class:`UnknownFormat` for
    an unknown name, and ``OSError`` if reading raises it.
    """
    if name is not None and name not in input_formats():
        raise UnknownFormat(name)
    skips = NamedSkips()
    for found in _read(capture, name):
        if isinstance(found, Exchange) or skips.names(found):
            yield found
    yield from skips.rest(capture.name)


class NamedSkips:
    """Chooses which skipped parts of a file are named: the first ones, and the first of the others that is unread."""

    def __init__(self) -> None:
        self._count = self._unnamed = 0
        self._names_unread = True

    def names(self, skipped: Skipped) -> bool:
        """Return whether this skipped part is to be named."""
        self._count += skipped.parts
        if self._count <= MOST_SKIPPED:
            return True
        if skipped.unread and self._names_unread:
            self._names_unread = False
            return True
        self._unnamed += skipped.parts
        return False

    def rest(self, file: str) -> Iterator[Skipped]:
        """Yield a :class:`Skipped` that says how many more parts of a file were skipped, if there are some."""
        if count := self._unnamed:
            yield Skipped(file=file, why=Why(f"the reasons for {count:,} more skipped parts are not kept"), parts=count)


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
            found = _unrecognised(capture) if format_ is None else _found_by(format_, capture)
            yield from _without_repeated_spans(explain_skipped(capture, found))
    except SeveralDocuments as several:
        yield from _read_parts(capture, several.texts, name)
    except Unreadable as error:
        yield error.skipped(capture.name)


def _found_by(format_: Format, capture: Capture) -> Iterator[Exchange | Skipped]:
    """Yield what a format finds. If it finds nothing in a JSON document, yield the exchanges that other readers find.

    The document may hold archives under names of its own.
    """
    found = format_.read(capture)
    first = next(found, None)
    if first is None and capture.begins_as_json and capture.is_read_whole:
        in_document = list(input_formats()["json"].read(capture))
        yield from in_document if any(isinstance(one, Exchange) for one in in_document) else ()
    elif first is not None:
        yield first
        yield from found


def _read_parts(capture: Capture, texts: Iterable[Text], name: str | None) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges of parts of a capture that are captures by themselves, such as archives on a line each."""
    number = 0
    for text in texts:
        for found in _read(capture.part(text), name):
            yield replace(found, number=number)
            number += found.parts


def _without_repeated_spans(found: Iterator[Exchange | Skipped]) -> Iterator[Exchange | Skipped]:
    before = None
    for one in found:
        if type(one) is Exchange and one.span is not None:
            # few captures have spans
            from isogloss.validator.captures.structures.relations.spans import without_repeated_spans

            yield from without_repeated_spans(chain([one], found), before)
            return
        yield one
        before = one


def _unrecognised(capture: Capture) -> Iterator[Skipped]:
    from isogloss.validator.captures.unrecognised import why_unrecognised

    yield Skipped(file=capture.name, why=why_unrecognised(capture))


def divisible_format(capture: Capture, name: str | None) -> str | None:
    """Return the format of a capture whose parts can be read by themselves, ``jsonl`` or ``parquet``, else ``None``.

    It is the named format, or the one that recognises the capture. The result is ``None`` for a packed capture, and for
    one in which lines may belong together, such as that of a request and that of its answer. The first lines are read
    to find that out.
    """
    try:
        if unwrap(capture) is not None:
            return None
    except Unreadable:
        return None
    if name is None and (surest := _surest(capture)) is not None:
        name = surest.NAME
    if name == "jsonl":
        from isogloss.validator.captures.texts.json_lines import may_be_divided

        return name if may_be_divided(capture) else None
    return name if name == "parquet" else None


@cache
def _words(as_json: bool) -> tuple[bytes, ...]:
    """Return the words of all formats whose captures can begin so."""
    formats_beginning_so = formats_beginning(as_json=as_json).values()
    return tuple(sorted({word for format_ in formats_beginning_so for word in getattr(format_, "WORDS", ())}))


@cache
def _word_finder(as_json: bool) -> ahocorasick_rs.BytesAhoCorasick:
    return ahocorasick_rs.BytesAhoCorasick(_words(as_json), matchkind=ahocorasick_rs.MatchKind.LeftmostFirst)


@cache
def _candidates(words: frozenset[int], as_json: bool) -> tuple[tuple[Callable[[Capture], int], Format], ...]:
    """Return the formats that a capture with these words can have, each with its function ``recognise``.

    ``words`` are numbers of :func:`_words`. ``as_json`` says whether the capture begins with a JSON object or array.
    """
    found = {_words(as_json)[number] for number in words}

    def is_candidate(format_: Format) -> bool:
        needed = getattr(format_, "WORDS", None)
        return needed is None or not found.isdisjoint(needed)

    in_order = sorted(formats_beginning(as_json=as_json).items())
    return tuple((one.recognise, one) for _, one in in_order if is_candidate(one))


def _surest(capture: Capture) -> Format | None:
    """Return the format that recognises a capture most surely: by its head, or else by its first traffic behind it."""
    surest = _surest_by_head(capture)
    if surest is None and not capture.whole_head:
        surest = next(filter(None, map(_surest_by_head, capture.around_traffic())), None)
    return surest


def _surest_by_head(capture: Capture) -> Format | None:
    as_json = capture.begins_as_json
    matches = _word_finder(as_json).find_matches_as_indexes(capture.beginning)
    candidates = _candidates(frozenset([number for number, _, _ in matches]), as_json)
    surest, highest = None, 1
    for recognise, format_ in candidates:
        if (sureness := recognise(capture)) >= highest:
            surest, highest = format_, sureness
    return surest
