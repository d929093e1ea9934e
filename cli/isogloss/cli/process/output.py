"""Write to standard streams and files safely.

A standard stream may be closed or full, or unable to encode a character. A file is complete, or it does not exist.
"""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from isogloss.cli.process import exits

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Unwritable", "guard", "is_standard_output", "open_atomic", "remove_partial_files", "safe_line", "say"]

_partial_files: set[Path] = set()
"""Files that are being written."""
_numbers = count()


class Unwritable(click.ClickException):
    """An output that cannot be written."""

    exit_code = exits.USAGE

    def __init__(self, what: object, error: OSError) -> None:
        super().__init__(f"cannot write to {what}: {error.strerror or error}")


class _GuardedStream(io.FileIO):
    """A standard stream. After the first error in writing, all further output is dropped without a message.

    The first error raises :class:`Unwritable` if the stream is standard output. It raises nothing if the reader of a
    pipe is gone (``| head``), since that reader wants no more output. Errors in writing to standard error cannot be
    reported anywhere.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        if not memoryview(data).nbytes:  # click writes no bytes to find out whether the stream takes bytes
            return 0
        try:
            while (written := super().write(data)) is None:  # a full pipe that does not block
                select.select([], [self], [])
        except OSError as error:
            _drop_output(self.fileno())
            if self.fileno() == 1 and not isinstance(error, BrokenPipeError):
                raise Unwritable("standard output", error) from error
            return memoryview(data).nbytes
        return written


def say(message: str) -> None:
    """Write a line to standard error, as :func:`safe_line` makes it."""
    click.echo(safe_line(message), err=True)


_HALF = 1000
"""The number of characters that stay of each half of a long message."""


def safe_line(message: str) -> str:
    """Return a message that may quote arguments and files as one line, with keys masked and nothing for a terminal.

    The middle of a long message is left out: what is quoted stands there, and what is wrong with it stands behind it.
    """
    from isogloss.validator.quoting import printable  # not needed at the start
    from isogloss.validator.secrets import mask_text

    line = printable(mask_text(message))
    return line if len(line) <= 2 * _HALF else f"{line[:_HALF]} … {line[-_HALF:]}"


def guard() -> None:
    """Make the standard streams safe to write to, whatever happens to them.

    Characters that they cannot encode are written as escapes. A stream that was closed from the beginning accepts all
    output and drops it.
    """
    sys.stdout, sys.stderr = _guard_stream(sys.stdout), _guard_stream(sys.stderr)


def _guard_stream(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")
    raw = getattr(stream.buffer, "raw", stream.buffer)  # there is no buffer with PYTHONUNBUFFERED
    if type(raw) is not io.FileIO:  # a console of Windows
        return stream
    guarded = _GuardedStream(raw.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        guarded if raw is stream.buffer else io.BufferedWriter(guarded),
        encoding=stream.encoding,
        errors="backslashreplace",
        newline=None if os.name == "nt" else "\n",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _drop_output(descriptor: int) -> None:
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, descriptor)
    os.close(null_device)


def is_standard_output(path: Path) -> bool:
    """Return whether standard output goes to this file or terminal. The null device does not count."""
    try:
        file, standard, nothing = os.stat(path), os.fstat(1), os.stat(os.devnull)
    except OSError:
        return False
    return os.path.samestat(file, standard) and not os.path.samestat(file, nothing)


@contextmanager
def open_atomic(path: Path) -> Iterator[TextIO]:
    """Open a text file that gets its name only when it is complete. Raises :class:`Unwritable`.

    A file that exists keeps its permissions. A pipe or a device is written to, not replaced.
    """
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            with path.open("w", encoding="utf-8", newline="\n") as out:
                yield out
            return
        target = Path(os.path.realpath(path)) if path.is_symlink() else path  # a link stays a link
        partial = target.with_name(f".isogloss-{os.getpid()}-{next(_numbers)}.partial")
        _partial_files.add(partial)
        try:
            with partial.open("x", encoding="utf-8", newline="\n") as out:
                yield out
            if mode is not None:
                partial.chmod(stat.S_IMODE(mode))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
            _partial_files.discard(partial)
    except OSError as error:
        raise Unwritable(path, error) from error


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def remove_partial_files() -> None:
    """Remove the files that are not complete, before this process ends at once."""
    for partial in list(_partial_files):
        with suppress(OSError):
            partial.unlink()
