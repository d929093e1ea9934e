"""End the process at once by Ctrl-C while modules are imported.

An exception in the middle of an import could leave a native module half made, and crash the interpreter.
"""

from __future__ import annotations

import os
import signal

__all__ = ["allow", "end_at_once"]

_INTERRUPTED = 130
"""``exits.INTERRUPTED``, which is not imported yet."""


def _end(_number: int, _frame: object) -> None:
    os._exit(_INTERRUPTED)


def end_at_once() -> None:
    """Let Ctrl-C end the process without a traceback, unless somebody else handles it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def allow() -> None:
    """Let Ctrl-C raise ``KeyboardInterrupt`` again, once the modules of a command are imported."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
