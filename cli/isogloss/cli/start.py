"""Start the command line. Ctrl-C ends the process without a traceback from here on, also while modules are imported."""

from __future__ import annotations

import gc
from typing import NoReturn

from isogloss.cli.process import early_interrupts

__all__ = ["main"]

_GARBAGE_THRESHOLD = 200_000
"""The number of new objects after which Python looks for garbage. Modules and caches have fewer objects: a search
through these takes long and finds nothing. With the default of 700, Python searches many times during imports.
"""


def main() -> NoReturn:
    """Import and run the command line, and end the process with its exit code."""
    gc.set_threshold(_GARBAGE_THRESHOLD, *gc.get_threshold()[1:])
    early_interrupts.end_at_once()
    from isogloss.cli.main import main as run

    run()
