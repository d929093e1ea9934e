"""Define types of parameters that click does not have: paths that can be read, numbers, texts, names of clients."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import click

from isogloss.validator.suggesting import unknown

__all__ = [
    "ClientNames", "Count", "ExistingPath", "GivenPath", "Parameter", "Seconds", "TextValue", "known_client",
    "url_problem", "why_unreadable",
]  # fmt: skip


class Parameter(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic from click 8.4 on
    """A type of parameters that has a ``name``, and a method ``convert``."""


class Count(click.IntRange):
    """A whole number, in a range."""

    name = "whole number"


class Seconds(click.FloatRange):
    """A number of seconds, in a range. Infinity is no such number, and NaN, which no limit excludes, is none either."""

    name = "number of seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Fail with an error of the command line if the value is anything else."""
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return seconds


class TextValue(Parameter):
    """A text in UTF-8, which is written into JSON. The bytes of a command line need not be such a text."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text. Fail if the command line had bytes here that are not UTF-8."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"{text!r} is not UTF-8, as JSON has to be", param, ctx)
        return text


class ClientNames(Parameter):
    """Slugs of clients, separated by commas. The value is a sorted tuple in which each slug occurs once."""

    name = "clients"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the slugs, sorted and each once. Fail for an unknown one, with the nearest name."""
        names = [name.strip() for name in value.split(",") if name.strip()]
        if not names:
            self.fail("no client is named", param, ctx)
        return tuple(sorted({known_client(name) for name in names}))


def known_client(name: str) -> str:
    """Return the slug of a client. Raises ``click.UsageError`` for an unknown one, with the nearest name."""
    from isogloss.schemas import client_files  # imported here: a run that names no client does not need it

    slugs = client_files.clients()
    if name not in slugs:
        raise click.UsageError(unknown("client", name, slugs, see="isogloss clients list"))
    return name


class GivenPath(click.Path):
    """The path of a file, a folder, or either. ``options`` are those of ``click.Path``."""

    def __init__(self, *, file: bool = True, folder: bool = False, **options: Any) -> None:
        super().__init__(file_okay=file, dir_okay=folder, readable=False, **{"path_type": Path} | options)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fail if it is a folder in place of a file, or a file in place of a folder."""
        if not self.dir_okay and os.path.isdir(value):
            self.fail(f"{value!r} is a folder, not a file.", param, ctx)
        if not self.file_okay and os.path.isfile(value):
            self.fail(f"{value!r} is a file, not a folder.", param, ctx)
        return super().convert(value, param, ctx)


class ExistingPath(GivenPath):
    """The path of a file. With ``folder``, it may be the path of a folder, too."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(folder=folder, exists=True)

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
