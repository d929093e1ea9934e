"""The parameter of commands that read captures: the path of one that exists and may be read."""

from __future__ import annotations

import os
from typing import Any

import click

from isogloss.cli.process import exits
from isogloss.cli.reading import inputs

__all__ = ["CapturePath"]


class _Unreadable(click.ClickException):
    exit_code = exits.NOTHING_CHECKED


class CapturePath(click.Path):
    """The path of a file or folder, or ``-``. A path that does not exist is an error of the command line.

    A file that may not be read ends the run as a file that could not be read does.
    """

    def __init__(self, *, folder: bool = True, dash: bool = True) -> None:
        super().__init__(exists=True, dir_okay=folder, readable=False, allow_dash=dash)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raise ``click.ClickException`` if it is that of a file without permission to read it."""
        path = super().convert(value, param, ctx)
        if os.path.isfile(path) and not os.access(path, os.R_OK):
            raise _Unreadable(f"{inputs.name_of(os.fsdecode(path))} cannot be read: you have no permission")
        return path
