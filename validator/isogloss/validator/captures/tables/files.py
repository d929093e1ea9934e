"""Read the rows of a Parquet or Arrow file in parts, so that large files take no more memory than small ones."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, TooLarge, Unreadable
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.captures.tables.columns import guess_columns
from isogloss.validator.captures.tables.rows import locate_columns, rows
from isogloss.validator.exchange import Exchange, Skipped
from isogloss.validator.quoting import printable

__all__ = ["RowTable"]

_MOST_ROWS = 2000
_MOST_BYTES = 1 << 25
"""How many bytes of rows are read at once, at most. The file says how large its rows are on average."""
_BUFFER = 1 << 20
"""How many bytes of a column are read at once."""


_Batches: TypeAlias = Iterator[tuple[int, int, Any]]
"""Batches of rows, each with the number of its row group, and that of its first row in the file."""

_FAULTS = (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError)
"""What pyarrow raises for a damaged file. The file may claim to hold more than the memory can."""


def _unreadable(what: str, error: Exception) -> Exception:
    """Return the exception to raise for a fault of a file: :class:`Unreadable`, or an error of the system as it is."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    return Unreadable(f"{what}: {printable(str(error).partition('. Detail:')[0].strip())}")


class RowTable:
    """A file of rows: Parquet, or Arrow as a file or a stream.

    ``columns`` says which columns hold the parts of exchanges: those that the user names, or else those that have usual
    names.
    """

    def __init__(self, capture: Capture, form: Literal["parquet", "file", "stream"]) -> None:
        """Open the file that a capture holds. Raises :class:`Unreadable`."""
        self._mapping = capture.mapping
        stream = _seekable(capture)
        try:
            if form == "parquet":
                self._file = pq.ParquetFile(stream, buffer_size=_BUFFER, pre_buffer=False)
                self.schema = self._file.schema_arrow
            else:
                self._file = pa.ipc.open_file(stream) if form == "file" else pa.ipc.open_stream(stream)
                self.schema = self._file.schema
            stored = self.schema.names
        except _FAULTS as error:
            raise _unreadable(f"cannot be read as {'Parquet' if form == 'parquet' else 'Arrow'}", error) from error
        self._form = form
        self._partitions = {name: value for name, value in _partitions(capture.name) if name not in stored}
        for name in self._partitions:
            self.schema = self.schema.append(pa.field(name, pa.string()))

    @cached_property
    def columns(self) -> Mapping:
        """The columns that hold the parts of exchanges. Raises :class:`Unreadable` if they are not known or unfit."""
        columns = self._mapping or guess_columns(self.schema.names)
        if columns is None:
            known = ", ".join(self.schema.names) or "none"
            raise Unreadable(
                f"no column is known to hold requests or answers; --columns response=NAME says which: there are {known}"
            )
        try:
            locate_columns(self.schema, columns)
        except (TypeError, ValueError) as error:
            raise Unreadable(str(error)) from error
        return columns

    def exchanges(self, file: str, share: int = 0, shares: int = 1) -> Iterator[Exchange | Skipped]:
        """Yield the exchange of each row, or why it is skipped. Raises :class:`Unreadable`.

        A Parquet file can be read in shares: then the rows are those of the row groups of one share.
        """
        columns = self.columns
        names = {column.name for column in locate_columns(self.schema, columns)}
        stored = sorted(names - self._partitions.keys())
        for fault, batches in self._parts(stored, share, shares):
            try:
                for group, first, batch in batches:
                    for name in names & self._partitions.keys():
                        batch = batch.append_column(name, pa.repeat(self._partitions[name], batch.num_rows))
                    yield from rows(batch, columns, file=file, first=first, row_group=group)
            except _FAULTS as error:
                problem = _unreadable(fault, error)
                if not isinstance(problem, Unreadable):
                    raise
                yield problem.skipped(file)

    def _parts(self, names: list[str], share: int, shares: int) -> Iterator[tuple[str, _Batches]]:
        """Yield the parts that are read whatever is wrong with the others, each with words for what is wrong with it.

        They are the row groups of a Parquet file, and the whole of an Arrow file.
        """
        if self._form != "parquet":
            yield "cannot be read any further", self._arrow_parts(names)
            return
        metadata = self._file.metadata
        first, count = 0, metadata.num_row_groups
        for number in range(count):
            group = metadata.row_group(number)
            if number * shares // count == share:
                size = min(_MOST_ROWS, max(1, _MOST_BYTES * group.num_rows // max(1, group.total_byte_size)))
                yield f"row group {number} cannot be read", self._row_group(names, number, first, size)
            first += group.num_rows

    def _row_group(self, names: list[str], number: int, first: int, size: int) -> _Batches:
        """Yield the batches of a row group, with its number and the number of their first row in the file."""
        for batch in self._file.iter_batches(size, row_groups=[number], columns=names, use_threads=False):
            yield number, first, batch
            first += batch.num_rows

    def _arrow_parts(self, names: list[str]) -> _Batches:
        """Yield the batches of an Arrow file, in parts if they are large, with the same numbers."""
        first = 0
        for number, batch in enumerate(self._arrow_batches()):
            batch.validate(full=True)  # without this, offsets in the file that point outside of it would be used
            for start in range(0, batch.num_rows, _MOST_ROWS):
                yield number, first + start, batch.slice(start, _MOST_ROWS).select(names)
            first += batch.num_rows

    def _arrow_batches(self) -> Iterator[Any]:
        if self._form == "stream":
            yield from self._file
        else:
            for number in range(self._file.num_record_batches):
                yield self._file.get_batch(number)


def _partitions(name: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values in the folders above a file, as in Hive: ``day=2026-11-01/part-0.parquet``.

    They hold for all rows of the file.
    """
    for folder in name.replace("\\", "/").split("/")[:-1]:
        key, equals, value = folder.partition("=")
        if key and equals:
            yield unquote(key), unquote(value)


def _seekable(capture: Capture) -> Any:
    """Return the capture as a stream that can be read from anywhere; a capture from a pipe is kept in memory."""
    if (stream := capture.file()) is not None:
        stream.seek(0)
        return stream
    buffer = io.BytesIO()
    for block in capture.blocks():
        buffer.write(block)
        if buffer.tell() > LARGEST_DOCUMENT:
            raise TooLarge(f"larger than {LARGEST_DOCUMENT >> 20} MiB, which only a seekable file may be")
    buffer.seek(0)
    return buffer
