"""Output formats, one module each, imported when asked for. A module holds ``report(run, out)``."""

from __future__ import annotations

from importlib import import_module
from typing import TextIO

from isogloss.cli.summary import Run

__all__ = ["FORMATS", "report"]

FORMATS = {"text": "text", "json": "json_report"}
"""The name of each format and its module."""


def report(name: str, run: Run, out: TextIO) -> None:
    """Write the results of a run in a format. Raises ``KeyError`` for an unknown one."""
    import_module(f"isogloss.cli.reporters.{FORMATS[name]}").report(run, out)
