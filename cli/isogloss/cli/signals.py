"""SIGTERM and SIGHUP end a run at once: with a message, an exit code of its own, and no file half written."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType

from isogloss.cli import exits, output

__all__ = ["by_default", "end_at_once"]

_CODES = {"SIGTERM": exits.TERMINATED, "SIGHUP": exits.HUNG_UP}
_RESTORED = b"\r\x1b[K\x1b[?25h"
"""Wipes the line with the progress of a run from a terminal, and shows the cursor that it hid."""


def end_at_once() -> None:
    """Have these signals end this process, unless whoever started it has them ignored (``nohup``).

    Nothing is raised, since an exception out of a signal handler can come at a place where it is lost. Processes that
    check for this one end when it does (:mod:`isogloss.cli.jobs`).
    """
    started = os.getpid()

    def end(number: int, _frame: FrameType | None) -> None:
        if os.getpid() == started:  # and not a copy that does not know yet what it is for
            output.remove_partial_files()
            if os.isatty(2):
                _say(_RESTORED)
            _say(f"Error: ended by {signal.Signals(number).name}\n".encode())
        os._exit(_CODES[signal.Signals(number).name])

    for one in _present():
        if signal.getsignal(one) is signal.SIG_DFL:
            signal.signal(one, end)


def by_default() -> None:
    """Have these signals do what they do by default, for a process that checks for another one."""
    for one in _present():
        signal.signal(one, signal.SIG_DFL)


def _present() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _CODES if hasattr(signal, name)]  # Windows has no SIGHUP


def _say(text: bytes) -> None:
    with suppress(OSError):  # it may have no reader
        os.write(2, text)
