"""Start the command line. Ctrl-C ends the process without a traceback from here on, also while modules are imported."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

__all__ = ["main"]

_INTERRUPTED = 130
"""``exits.INTERRUPTED``, which is not imported yet."""


def main() -> NoReturn:
    """Import and run the command line, and end the process with its exit code."""
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(_INTERRUPTED))
    from isogloss.cli.main import main as run

    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
