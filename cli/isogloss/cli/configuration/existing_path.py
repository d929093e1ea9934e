"""The parameter of commands that read a file or folder: a path that exists, and that the user may read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

__all__ = ["ExistingPath", "url_problem", "why_unreadable"]


class ExistingPath(click.Path):
    """The path of a file. With ``folder``, it may be the path of a folder, too."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(exists=True, dir_okay=folder, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fail if it does not exist, or if the user may not read it."""
        if (problem := url_problem(value) or why_unreadable(value)) is not None:
            self.fail(problem, param, ctx)
        return super().convert(value, param, ctx)


def url_problem(path: str) -> str | None:
    """Return what to do about a URL in place of a path, or ``None`` if it is none."""
    if "://" not in path or os.path.exists(path):
        return None
    return f"{path!r} is a URL: name a file, or ask a server with isogloss probe, or with isogloss check --live"


def why_unreadable(path: str) -> str | None:
    """Return why the user cannot read a file, or list a folder and open what is in it.

    Return ``None`` for a path that can be read, and for one that does not exist.
    """
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        problem = f"you have no permission to enter {_closed_folder(path)}"
    except OSError as error:
        return f"{path} cannot be read: {error.strerror or error}"
    else:
        if os.access(path, os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK):
            return None
        problem = "you have no permission"
    return f"{path} cannot be read: {problem}; change its mode (chmod), or run isogloss as its owner"


def _closed_folder(path: str) -> str:
    """Return the folder on the way to a path that the user may not enter. Behind a link, it has no name."""
    folders = map(str, reversed(Path(path).parents))
    return next((folder for folder in folders if not os.access(folder, os.X_OK)), "its folder")
