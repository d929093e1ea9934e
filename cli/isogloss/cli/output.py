"""Outputs: pipes that close too early or cannot encode everything, and files that must not be left half written."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

__all__ = ["encodable", "replacing", "until_closed"]


def encodable() -> None:
    """Have characters that an output cannot encode written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def until_closed() -> Iterator[None]:
    """Write as long as somebody reads: what comes after a pipe is closed (``| head``) is dropped without a word."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A file that takes its name only once it is complete. Raises ``click.UsageError`` where it cannot be written."""
    path = path.resolve() if path.is_symlink() else path
    try:
        if path.exists() and not path.is_file():  # a pipe or a device is written to, not replaced
            with path.open("w", encoding="utf-8") as out:
                yield out
            return
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as out:
                yield out
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise click.UsageError(f"cannot write to {path}: {error.strerror or error}") from error
