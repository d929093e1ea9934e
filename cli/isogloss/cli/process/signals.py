"""End a run at once on SIGINT, SIGTERM and SIGHUP: with an exit code for each signal, and no incomplete file."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from isogloss.cli.process import early_interrupts, exits, output

__all__ = ["end_at_once", "raising_interrupts", "restore_defaults"]

_CODES = {"SIGINT": exits.INTERRUPTED, "SIGTERM": exits.TERMINATED, "SIGHUP": exits.HUNG_UP}
_DEFAULTS = (signal.SIG_DFL, signal.default_int_handler, early_interrupts.end)
_RESTORE_TERMINAL = b"\r\x1b[K\x1b[?25h"
"""Removes the line with the progress of a run from a terminal, and shows the cursor, which that line hid."""


def end_at_once() -> None:
    """Have these signals end this process, unless whoever started it has them ignored (``nohup``).

    Nothing is raised, since an exception out of a signal handler can come at a place where it is lost. Processes that
    check for this one end when it does (:mod:`isogloss.cli.checking.workers`).
    """
    own_process = os.getpid()

    def end(number: int, _frame: FrameType | None) -> None:
        if os.getpid() == own_process:  # this is not a forked copy that has not set its own handlers yet
            output.remove_partial_files()
            if os.isatty(2):
                _write_to_stderr(_RESTORE_TERMINAL)
            if number != signal.SIGINT:  # whoever pressed Ctrl-C knows
                _write_to_stderr(f"Error: ended by {signal.Signals(number).name}\n".encode())
        os._exit(_CODES[signal.Signals(number).name])

    for signal_number in _available_signals():
        if signal.getsignal(signal_number) in _DEFAULTS:
            signal.signal(signal_number, end)


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Have Ctrl-C raise ``KeyboardInterrupt``, where a run that it ends has something to report, unless it is ignored.

    Where modules may be imported, the exception can be lost: Python drops one that is raised in a callback.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def restore_defaults() -> None:
    """Have these signals do what they do by default, for a process that checks for another one."""
    for signal_number in _available_signals():
        signal.signal(signal_number, signal.SIG_DFL)


def _available_signals() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _CODES if hasattr(signal, name)]  # Windows has no SIGHUP


def _write_to_stderr(text: bytes) -> None:
    with suppress(OSError):  # it may have no reader
        os.write(2, text)
