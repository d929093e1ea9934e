"""Start the command line. Ctrl-C ends the process without a traceback from here on, also while modules are imported.

An exception in the middle of an import could leave a native module half made, and crash the interpreter.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

__all__ = ["allow_interrupts", "main"]

_INTERRUPTED = 130
"""``exits.INTERRUPTED``, which is not imported yet."""


def _end(_number: int, _frame: object) -> None:
    os._exit(_INTERRUPTED)


def main() -> NoReturn:
    """Import and run the command line, and end the process with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from isogloss.cli.main import main as run

    run()


def allow_interrupts() -> None:
    """Let Ctrl-C raise ``KeyboardInterrupt`` again, once the modules of a command are imported."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
