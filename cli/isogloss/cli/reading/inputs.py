"""Read files and standard input. What cannot be read is skipped, with the reason."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from isogloss.cli.reading import stores
from isogloss.cli.reading.jobs import Piece, Range, Share
from isogloss.cli.reading.unread import unreadable
from isogloss.validator import captures
from isogloss.validator.captures import Capture, attachments
from isogloss.validator.captures.limits import LARGEST_DOCUMENT
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.tables import open_table
from isogloss.validator.exchange import Cause, Exchange, Kind, Skipped, Why
from isogloss.validator.secrets import mask_text

__all__ = [
    "exchanges", "open_capture", "read", "read_piece", "read_share",
    "standard_input",
]  # fmt: skip


def standard_input(*, kind: Kind | None, name: str, mapping: Mapping | None) -> Capture | Skipped:
    """Return standard input, and read the beginning of it."""
    if sys.stdin is None:
        return Skipped(file=name, why=Why("cannot be read: closed", Cause.UNREAD))
    return Capture(sys.stdin.buffer, name, kind=kind, mapping=mapping)


def open_capture(
    path: str, *, kind: Kind | None = None, mapping: Mapping | None = None
) -> tuple[Capture | Skipped, BinaryIO | None]:
    """Open a file, and read the beginning of it.

    Return the capture, or why it cannot be read, and the stream to close afterwards.
    """
    beside = None if stores.is_stored(path) else partial(_read_beside, path)
    stream = None
    try:
        stream = stores.open_file(path, buffered=False)  # it is read only in large blocks
        return Capture(stream, path, kind=kind, beside=beside, mapping=mapping), stream
    except OSError as error:
        return unreadable(path, error), stream


def exchanges(capture: Capture | Skipped, input_format: str | None = None) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in a file that was opened. What cannot be read is one :class:`Skipped`."""
    if isinstance(capture, Skipped):
        yield capture
        return
    try:
        yield from captures.read(capture, input_format)
    except OSError as error:
        yield unreadable(capture.name, error)


def read(path: str) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in a file. What cannot be read is one :class:`Skipped`."""
    capture, stream = open_capture(path)
    try:
        yield from exchanges(capture)
    finally:
        if stream is not None:
            stream.close()


def _read_beside(path: str, name: str) -> bytes | None:
    """Read a file by its name in the folder of another file, or below it. Return ``None`` if it is not there.

    No link may lead out of the folder. Files that WireMock serves may be in a folder above it. Then no link may lead
    out of that folder. Raises :class:`captures.Unreadable`.
    """
    folder = os.path.realpath(os.path.dirname(path))
    file = os.path.realpath(os.path.join(folder, name))
    if name.startswith("../"):
        folder = os.path.realpath(os.path.join(folder, name.partition(attachments.SERVED)[0], attachments.SERVED))
    if os.path.commonpath((folder, file)) != folder:
        return None
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return None
        with open(file, "rb") as stream:
            return stream.read(LARGEST_DOCUMENT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise captures.Unreadable(f"a body that cannot be read: {error.strerror or error}") from error


def read_piece(piece: Piece, *, kind: Kind | None, mapping: Mapping | None) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in a piece of a file of JSON Lines."""
    path = piece.path
    try:
        with open(path, "rb") as stream:
            part = Range(stream, piece.start, piece.end)
            capture = Capture(part, path, kind=kind, line=piece.line, mapping=mapping)
            yield from captures.read(capture, "jsonl")
    except OSError as error:
        yield unreadable(path, error)


def read_share(share: Share, *, mapping: Mapping | None) -> Iterator[Exchange | Skipped]:
    """Yield the exchanges in some of the row groups of a Parquet file."""
    path = share.path
    try:
        with stores.open_file(path, buffered=False) as stream:
            capture = Capture(stream, path, mapping=mapping)
            yield from open_table(capture).exchanges(capture.name, share.share, share.shares)
    except captures.Unreadable as error:
        yield error.skipped(mask_text(path))
    except OSError as error:
        yield unreadable(path, error)
