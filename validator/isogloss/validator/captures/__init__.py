"""Input formats, one module each. A format says how surely it recognises the bytes; the surest reads them.

A module holds ``NAME``, ``recognise(capture) -> int`` (0 for no, up to 100) and ``read(capture) -> Iterator[Exchange | Skipped]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Protocol, cast

from isogloss.validator.captures.source import Capture, TooLarge
from isogloss.validator.exchange import Exchange, Skipped

__all__ = ["Capture", "Format", "TooLarge", "UnknownFormat", "formats", "read"]

_NOT_FORMATS = {"__init__", "source", "records"}


class Format(Protocol):
    """What each module of this package is."""

    NAME: str

    def recognise(self, capture: Capture) -> int:
        """How surely the capture is of this format, 0 to 100."""

    def read(self, capture: Capture) -> Iterator[Exchange | Skipped]:
        """The exchanges of the capture, in order, and what in it is not checked."""


class UnknownFormat(ValueError):
    """No input format has that name."""


@cache
def formats() -> dict[str, Format]:
    """Every input format by name."""
    found = (entry.name.removesuffix(".py") for entry in files(__name__).iterdir() if entry.name.endswith(".py"))
    modules = [
        cast("Format", import_module(f"{__name__}.{stem}")) for stem in sorted(found) if stem not in _NOT_FORMATS
    ]
    return {module.NAME: module for module in modules}


def read(capture: Capture, name: str | None = None) -> Iterator[Exchange | Skipped]:
    """The exchanges in a capture, read as the named format or the one that recognises it most surely.

    A capture that no format recognises yields one :class:`Skipped`. Raises :class:`UnknownFormat` for an unknown name and ``OSError`` where reading does.
    """
    if name is not None:
        if name not in formats():
            raise UnknownFormat(name)
        chosen = formats()[name]
    else:
        chosen = max(formats().values(), key=lambda format_: format_.recognise(capture))
        if not chosen.recognise(capture):
            yield Skipped(file=capture.name, reason=capture.unrecognised())
            return
    try:
        yield from chosen.read(capture)
    except TooLarge as error:
        yield Skipped(file=capture.name, reason=str(error))
