"""Work for several processes: small files in batches, large files of JSON Lines and Parquet in parts, results in order.

A piece begins with a line that is no chunk, so that no stream is cut, and knows the number of that line. A share of a
Parquet file is some of its row groups; the process that checks it opens the file itself.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import BinaryIO, NamedTuple, TypeAlias, TypeVar

import orjson

from isogloss.cli import exits, signals, stores
from isogloss.validator import captures, interrupts
from isogloss.validator.exchange import Kind, Skipped
from isogloss.validator.kinds import kind_of
from isogloss.validator.secrets import masked

__all__ = ["COLUMNAR", "Batch", "Died", "Piece", "Range", "Share", "batches", "enough", "in_order", "large"]

_WORTH = 8 << 20
"""Bytes from which on other processes are started: they take some hundredths of a second to begin."""

_FILE = 1 << 14
"""Bytes added to the size of each file, for opening it and recognising its format."""

_BATCH = 1 << 22
_PIECE = 4 << 20
_BLOCK = 1 << 18
_LARGE = 2 * _PIECE
COLUMNAR = (".parquet", ".pq", ".feather", ".arrow")
"""How the names of tables end; only how much work they are follows from that."""
_COLUMNAR_WEIGHT = 8
"""How many bytes of text a byte of a compressed table holds, about."""
_LONGEST_LINE = 1 << 20
"""Bytes of a line at which a file may be cut; where lines are longer it is not."""

_Result = TypeVar("_Result")


class Died(Exception):
    """A process that checked for this one was ended from outside; the message says so, and what to do."""


class Piece(NamedTuple):
    """From byte ``start`` to byte ``end`` of a file of JSON Lines, where the first line has the number ``line``."""

    path: str
    start: int
    end: int
    line: int


class Share(NamedTuple):
    """The row groups of a Parquet file that belong to one of ``shares`` equal shares, which follow each other."""

    path: str
    share: int
    shares: int


Batch: TypeAlias = list[str | Skipped] | Piece | Share
"""What is handed out at once: files, or a part of one."""


class Range:
    """The bytes of a file up to a place, as a stream."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        stream.seek(start)
        self._stream = stream
        self._left = end - start

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes. Return no bytes only at the end."""
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


def enough(paths: Iterator[str | Skipped]) -> tuple[bool, Iterator[str | Skipped]]:
    """Return whether there is enough work for several processes, and all files. Look at no more files than needed."""
    seen: list[str | Skipped] = []
    left = _WORTH
    for path in paths:
        seen.append(path)
        left -= _FILE + _size(path)
        if left < 0:
            return True, chain(seen, paths)
    return False, iter(seen)


def large(path: str | Skipped) -> bool:
    """Return whether a file is large enough to be cut."""
    return _size(path) >= _LARGE


def _size(path: str | Skipped) -> int:
    if isinstance(path, Skipped) or path == "-":
        return 0
    weight = _COLUMNAR_WEIGHT if path.endswith(COLUMNAR) else 1
    try:
        return weight * (stores.size(path) if stores.is_stored(path) else os.stat(path).st_size)
    except OSError:
        return 0  # whoever reads it says why it cannot be read


def batches(paths: Iterable[str | Skipped], kind: Kind | None, input_format: str | None) -> Iterator[Batch]:
    """Yield the work in order: small files together, and a large file by itself, in parts if it can be cut."""
    batch: list[str | Skipped] = []
    weight = 0
    for path in paths:
        size = _size(path)
        if isinstance(path, str) and size >= _LARGE:
            if batch:
                yield batch
                batch, weight = [], 0
            yield from _parts(path, size, kind, input_format)
            continue
        batch.append(path)
        weight += size + _FILE
        if weight >= _BATCH:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def _parts(path: str, size: int, kind: Kind | None, input_format: str | None) -> Iterator[Batch]:
    try:
        with stores.opened(path) as stream:
            form = captures.divided_as(captures.Capture(stream, path, kind=kind), input_format)
            if form == "parquet":
                shares = -(-size // (_COLUMNAR_WEIGHT * _PIECE))
                yield from (Share(path, share, shares) for share in range(shares))
            elif form == "jsonl" and kind != "chunk" and not stores.is_stored(path):
                yield from _pieces(stream, path, os.stat(path).st_size)
            else:
                yield [path]
    except OSError:
        yield [path]


def _pieces(stream: BinaryIO, path: str, size: int) -> Iterator[Piece]:
    start, line = 0, 1
    while start < size:
        end = _cut(stream, min(start + _PIECE, size), size)
        yield Piece(path, start, end, line)
        line += _line_ends(stream, start, end)
        start = end


def _line_ends(stream: BinaryIO, start: int, end: int) -> int:
    found = 0
    stream.seek(start)
    while start < end and (block := stream.read(min(_BLOCK, end - start))):
        found += block.count(b"\n")
        start += len(block)
    return found


def _cut(stream: BinaryIO, near: int, size: int) -> int:
    """Return the next place where a cut divides no stream of chunks: before a line with a JSON object that is no chunk.

    Return `size` if there is none.
    """
    stream.seek(near)
    begins = stream.readline(_LONGEST_LINE).endswith(b"\n")
    while (place := stream.tell()) < size:
        line = stream.readline(_LONGEST_LINE)
        if begins and _ends_streams(line):
            return place
        begins = line.endswith(b"\n")
    return size


def _ends_streams(line: bytes) -> bool:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(value, dict) and kind_of(value) != "chunk"


def _begin(start: Callable[..., None], *arguments: object) -> None:
    """Prepare a process that works for another one, and that ends when the other one ends."""
    signals.by_default()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    start(*arguments)


def _end_with_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()  # until a pipe closes that only the parent, and processes that end with it, hold open
        os._exit(exits.NOTHING_CHECKED)


def in_order(
    work: Iterable[Batch],
    jobs: int,
    start: Callable[..., None],
    arguments: Sequence[object],
    check: Callable[[Batch], _Result],
    *,
    may_fork: Callable[[], bool] = lambda: True,
) -> Iterator[tuple[Batch, _Result]]:
    """Yield each batch with the result of `check`, which runs in one of `jobs` processes. Each calls `start` first.

    The processes end with this one, however it ends. No more batches are under way than keep the processes busy. What
    `check` raises is raised here. Raises :class:`Died` when a process ends by itself. ``may_fork`` is called when there
    is a first batch. It returns whether this process may fork: another thread could hold a lock, and a forked process
    would never see that lock released.
    """
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    work = iter(work)
    work = chain([one for one in [next(work, None)] if one is not None], work)
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() and os.uname().sysname == "Linux" else None
    if not may_fork():
        method = "spawn"
    context = multiprocessing.get_context(method)
    others = multiprocessing.active_children()
    executor = ProcessPoolExecutor(jobs, context, initializer=partial(_begin, start, *arguments))
    under_way: deque[tuple[Batch, Future[_Result]]] = deque()
    first: Batch = []
    try:
        for batch in chain(work, [None] * (3 * jobs)):
            if batch is not None:
                with interrupts.held_back():
                    under_way.append((batch, executor.submit(check, batch)))
            if under_way and (batch is None or len(under_way) >= 3 * jobs):
                first, future = under_way.popleft()
                yield first, future.result()
    except BrokenProcessPool:
        name = first.path if isinstance(first, Piece | Share) else next((o for o in first if isinstance(o, str)), None)
        where = f", at or after {masked(name)}" if name is not None else ""
        raise Died(
            f"a process was killed while it checked files{where}. Is there enough memory? --jobs 1 does without it."
        ) from None
    except BaseException:
        for worker in multiprocessing.active_children():  # they may be waiting for a pipe
            if worker not in others:
                worker.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
