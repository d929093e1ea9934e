"""Start the command line. Ctrl-C ends the process without a traceback from here on, also while modules are imported."""

from __future__ import annotations

from typing import NoReturn

from isogloss.cli.process import early_interrupts

__all__ = ["main"]


def main() -> NoReturn:
    """Import and run the command line, and end the process with its exit code."""
    early_interrupts.end_at_once()
    from isogloss.cli.main import main as run

    run()
