"""The parameter of commands that read captures: a path that exists and may be read, or a URL of an object store."""

from __future__ import annotations

import os
from typing import Any

import click

from isogloss.cli.configuration.parameters import GivenPath, url_problem, why_unreadable
from isogloss.cli.process import exits
from isogloss.cli.reading import stores

__all__ = ["CapturePath"]


class _Unreadable(click.ClickException):
    exit_code = exits.NOTHING_CHECKED


class CapturePath(GivenPath):
    """The path of a file or folder, the URL of one in an object store, or ``-``.

    A path that does not exist is an error of the command line. A path that cannot be read ends the run as a file that
    could not be read does. With ``alone=False``, it does so only after the command has read the other paths.
    """

    def __init__(self, *, folder: bool = True, alone: bool = True) -> None:
        super().__init__(folder=folder, exists=True, allow_dash=True, path_type=str)
        self._alone = alone

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or fail. Raise ``click.ClickException`` if it cannot be read."""
        path = os.fsdecode(value)
        if stores.is_stored(path):
            return path
        if (problem := url_problem(path)) is not None:
            self.fail(problem, param, ctx)
        problem = why_unreadable(path) if path != "-" else None
        if problem is None or os.path.exists(path):
            super().convert(path, param, ctx)
        if problem is not None and self._alone:
            raise _Unreadable(problem)
        return path
