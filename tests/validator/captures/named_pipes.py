"""Offer a named pipe with which no test waits for ever."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def pipe_that_gives(path: Path, data: bytes) -> Iterator[None]:
    """Make a named pipe that gives a few bytes to the first who opens it, and end all the same if nobody does."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    try:
        yield
    finally:
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # lets a writer go on that nobody has read from
        writer.join()
        os.close(reader)
