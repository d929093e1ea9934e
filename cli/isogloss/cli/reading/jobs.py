"""Divide the work of a run into batches, which several processes can check.

Small files are put together in batches. Large files are divided: JSON Lines into pieces, and Parquet into shares. A
piece begins with a line that ends a stream before it, so that none is cut. It also holds the number of that line. A
share is some of the row groups of a Parquet file. The process that checks a share opens the file itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain, islice
from typing import BinaryIO, TypeAlias

import orjson
from msgspec import Struct

from isogloss.cli.reading import stores
from isogloss.validator import captures
from isogloss.validator.exchange import Exchange, Kind, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.kinds.events import may_be_chunk

__all__ = [
    "COLUMNAR", "Batch", "Piece", "Range", "Share", "batches", "first_path", "has_enough_work", "is_large",
]  # fmt: skip

_WORTH = 8 << 20
"""Other processes are started only for at least this many bytes. They take some hundredths of a second to start."""

_FILE_OVERHEAD = 1 << 14
"""Bytes added to the size of each file, for opening it and recognising its format."""

_BATCH = 1 << 22
_PIECE = 4 << 20
_LEAST_PIECE = 1 << 20
_PIECES = 16
"""A file is cut into at least so many pieces, unless they are too small: with few, one process waits for another."""
_BLOCK = 1 << 16
"""How many bytes are read at once to count lines. The memory of larger blocks goes back to the system each time."""
_DELTA = b"delta"
_LARGE = 2 * _PIECE
_LOOKED_UP_AT_ONCE = 256
COLUMNAR = (".parquet", ".pq", ".feather", ".arrow")
"""The endings of the names of tables. An ending decides how much work a file counts for, but not its format."""
_COLUMNAR_WEIGHT = 8
"""About how many bytes of text one byte of a compressed table holds."""
_LONGEST_LINE = 1 << 20
"""A file is cut only before lines of at most this many bytes."""


class Piece(Struct, frozen=True):
    """The bytes from ``start`` to ``end`` of a file of JSON Lines. The first line has the number ``line``."""

    path: str
    start: int
    end: int
    line: int


class Share(Struct, frozen=True):
    """Some row groups of a Parquet file: the share with the number ``share``, of ``shares`` equal shares in order."""

    path: str
    share: int
    shares: int


Batch: TypeAlias = list[str | Skipped] | Piece | Share
"""The work that a process gets at once: several files, or a part of one file."""


class Range:
    """The bytes of a file from ``start`` to ``end``, as a stream."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        stream.seek(start)
        self._stream = stream
        self._remaining = end - start

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes. Return no bytes only at the end."""
        data = self._stream.read(min(size, self._remaining))
        self._remaining -= len(data)
        return data


def has_enough_work(paths: Iterator[str | Skipped]) -> tuple[bool, Iterator[str | Skipped]]:
    """Return whether there is enough work for several processes, and all files. Look at no more files than needed."""
    looked_at: list[str | Skipped] = []
    remaining = _WORTH
    for path in paths:
        looked_at.append(path)
        remaining -= _FILE_OVERHEAD + _weight(path)
        if remaining < 0:
            return True, chain(looked_at, paths)
    return False, iter(looked_at)


def is_large(path: str | Skipped) -> bool:
    """Return whether a file is large enough to be cut."""
    return _weight(path) >= _LARGE


def _weight(path: str | Skipped) -> int:
    if isinstance(path, Skipped) or path == "-":
        return 0
    factor = _COLUMNAR_WEIGHT if path.endswith(COLUMNAR) else 1
    try:
        return factor * (stores.size(path) if stores.is_stored(path) else os.stat(path).st_size)
    except OSError:
        return 0  # the error is reported when the file is read


def batches(paths: Iterable[str | Skipped], kind: Kind | None, input_format: str | None) -> Iterator[Batch]:
    """Yield the work in order: small files together, and a large file by itself, in parts if it can be cut."""
    batch: list[str | Skipped] = []
    batch_weight = 0
    for path, file_weight in _with_weights(paths):
        if isinstance(path, str) and file_weight >= _LARGE:
            if batch:
                yield batch
                batch, batch_weight = [], 0
            yield from _parts(path, file_weight, kind, input_format)
            continue
        batch.append(path)
        batch_weight += file_weight + _FILE_OVERHEAD
        if batch_weight >= _BATCH:
            yield batch
            batch, batch_weight = [], 0
    if batch:
        yield batch


def _with_weights(paths: Iterable[str | Skipped]) -> Iterator[tuple[str | Skipped, int]]:
    """Yield each path with its weight. Many weights are looked up at once, which takes less time."""
    remaining = iter(paths)
    while group := list(islice(remaining, _LOOKED_UP_AT_ONCE)):
        yield from zip(group, [_weight(path) for path in group], strict=True)


def _parts(path: str, weight: int, kind: Kind | None, input_format: str | None) -> Iterator[Batch]:
    try:
        with stores.open_file(path) as stream:
            division = captures.divisible_format(captures.Capture(stream, path, kind=kind), input_format)
            if division == "parquet":
                shares = -(-weight // (_COLUMNAR_WEIGHT * _PIECE))
                yield from (Share(path, share, shares) for share in range(shares))
            elif division == "jsonl" and kind != "chunk" and not stores.is_stored(path):
                yield from _pieces(stream, path, os.stat(path).st_size)
            else:
                yield [path]
    except OSError:
        yield [path]


def _pieces(stream: BinaryIO, path: str, size: int) -> Iterator[Piece]:
    start, line = 0, 1
    length = min(_PIECE, max(_LEAST_PIECE, size // _PIECES))
    while start < size:
        end = _next_cut(stream, start, min(start + length, size), size)
        yield Piece(path, start, end, line)
        line += _count_line_ends(stream, start, end)
        start = end


def _count_line_ends(stream: BinaryIO, start: int, end: int) -> int:
    count = 0
    stream.seek(start)
    while start < end and (block := stream.read(min(_BLOCK, end - start))):
        count += len(block) - len(block.replace(b"\n", b""))  # takes a third of the time that counting takes
        start += len(block)
    return count


def _next_cut(stream: BinaryIO, start: int, earliest: int, size: int) -> int:
    """Return the next offset where a cut divides no stream of chunks, or `size` if there is none.

    A cut may be behind so many objects that are no chunks that no stream goes on. If no stream has begun on as many
    lines before, it may also be before a line that holds an exchange, but not before the first such line behind a
    chunk: that line may be an event of the stream. If the file has become shorter in the meantime, there is no cut.
    """
    most = captures.MOST_BETWEEN_CHUNKS + 1
    stream.seek(earliest)
    is_line_start = stream.readline(_LONGEST_LINE).endswith(b"\n")
    first = stream.tell()
    may_go_on = any(map(_may_begin_stream, _last_lines(stream, start, first, most)))
    stream.seek(first)
    between = 0
    while (offset := stream.tell()) < size:
        line = stream.readline(_LONGEST_LINE)
        if not line:
            break
        if is_line_start:
            between = between + 1 if _is_no_chunk(line) else 0
            if between > most or (between > 1 and not may_go_on and _holds_exchange(line)):
                return offset
            may_go_on = may_go_on or _may_begin_stream(line)
        is_line_start = line.endswith(b"\n")
    return size


def _last_lines(stream: BinaryIO, start: int, end: int, most: int) -> list[bytes]:
    """Return the last lines of a part of a file, at most so many. No more of it is read than they need."""
    data = b""
    while end > start and data.count(b"\n") <= most:
        length = min(max(_BLOCK, len(data)), end - start)
        stream.seek(end - length)
        data = stream.read(length) + data
        end -= length
    return data.split(b"\n")[-most - 1 :]


def _may_begin_stream(line: bytes) -> bool:
    """Return whether a line may hold a chunk with a delta, as the first chunk of a stream has one."""
    return _DELTA in line and not _is_no_chunk(line)


def _is_no_chunk(line: bytes) -> bool:
    from isogloss.validator.captures.bodies.wrapped import holds_chunk  # few files are cut

    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    if not isinstance(value, dict) or holds_chunk(value):
        return False
    kind = kind_of(value)
    return kind != "chunk" and not (kind == "completion" and may_be_chunk(value))


def _holds_exchange(line: bytes) -> bool:
    return any(isinstance(found, Exchange) for found in captures.read(captures.Capture(BytesIO(line), ""), "jsonl"))


def first_path(batch: Batch) -> str | None:
    """Return the path of the first file of a batch, or ``None`` if it has no file."""
    if isinstance(batch, Piece | Share):
        return batch.path
    return next((path for path in batch if isinstance(path, str)), None)
