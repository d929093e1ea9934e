"""Files on disk: which ones to read, in a stable order, and what happens to those that cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Kind, Skipped

__all__ = ["read", "walk"]


def walk(paths: Iterable[str]) -> Iterator[str | Skipped]:
    """The files to read, in the order given and by name within a directory; ``-`` stands for standard input.

    Directories are walked without following links and without those whose name begins with a dot. What is neither
    file nor directory is reported as skipped.
    """
    for path in paths:
        if path == "-":
            yield path
        elif Path(path).is_dir():
            yield from _inside(path)
        else:
            yield path


def _inside(directory: str) -> Iterator[str | Skipped]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError as error:
        yield Skipped(file=directory, reason=f"cannot be listed: {error.strerror}")
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _inside(entry.path)
        elif entry.is_file():
            yield entry.path
        elif not entry.is_dir():
            yield Skipped(file=entry.path, reason="neither a file nor a directory")


def read(path: str, *, kind: Kind | None = None, input_format: str | None = None) -> Iterator[Exchange | Skipped]:
    """The exchanges in a file or pipe, standard input for ``-``. One that cannot be read is one :class:`Skipped`."""
    if path == "-":
        if sys.stdin is None:
            yield Skipped(file="<stdin>", reason="cannot be read: closed")
            return
        yield from captures.read(captures.Capture(sys.stdin.buffer, "<stdin>", kind=kind), input_format)
        return
    try:
        with open(path, "rb") as stream:
            yield from captures.read(captures.Capture(stream, path, kind=kind), input_format)
    except OSError as error:
        yield Skipped(file=path, reason=f"cannot be read: {error.strerror or error}")
