"""End the process at once by Ctrl-C while modules are imported.

An exception in the middle of an import could leave a native module half made, and crash the interpreter.
"""

from __future__ import annotations

import os
import signal

from isogloss.cli.process import exits

__all__ = ["end", "end_at_once"]


def end(_number: int, _frame: object) -> None:
    """End the process: the handler of Ctrl-C until :mod:`.signals` has another one."""
    os._exit(exits.INTERRUPTED)


def end_at_once() -> None:
    """Let Ctrl-C end the process without a traceback, unless somebody else handles it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
