"""The parameter of commands that read captures: the path of one that exists and may be read."""

from __future__ import annotations

import os
from typing import Any

import click

from isogloss.cli.process import exits
from isogloss.cli.reading import inputs

__all__ = ["CapturePath", "why_forbidden"]


class _Unreadable(click.ClickException):
    exit_code = exits.NOTHING_CHECKED


class CapturePath(click.Path):
    """The path of a file or folder, or ``-``. A path that does not exist is an error of the command line.

    A path that may not be read ends the run as a file that could not be read does.
    """

    def __init__(self, *, folder: bool = True, dash: bool = True) -> None:
        super().__init__(exists=True, dir_okay=folder, readable=False, allow_dash=dash)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raise ``click.ClickException`` if the user has no permission to read it."""
        path = super().convert(value, param, ctx)
        if (problem := why_forbidden(os.fsdecode(path))) is not None:
            raise _Unreadable(problem)
        return path


def why_forbidden(path: str) -> str | None:
    """Say that the user has no permission to read a file, or to list a folder and open what is in it.

    Return ``None`` for a path that may be read, for one that does not exist, and for ``-``.
    """
    needed = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
    if path == "-" or not os.path.exists(path) or os.access(path, needed):
        return None
    return f"{inputs.name_of(path)} cannot be read: you have no permission"
