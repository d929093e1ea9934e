"""Hold back an interrupt from the keyboard during work that must not be interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["hold"]


@contextmanager
def hold() -> Iterator[None]:
    """Keep Ctrl-C for afterwards, also in processes that are started here: until they know what to do with it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)
