"""Standard output as it may be: a pipe that is closed too early, or one that cannot encode everything."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["encodable", "until_closed"]


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
