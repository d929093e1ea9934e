"""Refuse to write to a file that the same command reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from isogloss.cli.configuration.parameters import why_unreadable
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.reading import inputs
from isogloss.validator.exchange import Exchange

__all__ = ["check_targets", "problem_of_target"]


def problem_of_target(target: Path) -> str | None:
    """Describe why an output cannot go to this file, or return ``None``. The file itself is not opened."""
    folder = target.parent
    if str(target) == "-":
        return "is not a file; name one"
    if os.path.isdir(target):
        return "is a folder; name a file in it"
    if not os.path.isdir(folder):
        shown = display_path(str(folder))
        return f"cannot be written: {why_unreadable(shown) or f'there is no folder {shown!r}'}"
    is_device = os.path.exists(target) and not os.path.isfile(target)
    if not os.access(target if is_device else os.path.dirname(os.path.realpath(target)), os.W_OK):
        return "cannot be written: you have no permission" + ("" if is_device else " in its folder")
    return None


def check_targets(targets: Iterable[Path], paths: Sequence[str], others: Iterable[Path | None] = ()) -> None:
    """Raise ``click.UsageError`` if an output cannot be written, if two go to one file, or if what is read is lost.

    ``paths`` are the files and folders with captures that the command reads, and ``others`` what else it reads, such as
    its configuration. A file in one of the folders is a capture if it holds an exchange: an earlier report may be
    replaced there.
    """
    names: set[str] = set()
    read = {os.path.realpath(other) for other in others if other is not None}
    for target in targets:
        name, shown = os.path.realpath(target), display_path(str(target))
        if name in names:
            raise click.UsageError(f"two outputs would be written to {shown}")
        names.add(name)
        if problem := problem_of_target(target):
            raise click.UsageError(f"{shown} {problem}")
        if name in read and os.path.isfile(target):
            raise click.UsageError(f"{shown} is a file that this command reads: write to another one")
        if os.path.isfile(target) and any(_is_capture(name, os.path.realpath(path)) for path in paths if path != "-"):
            raise click.UsageError(f"{shown} is a capture that is read, and no capture is ever overwritten")


def _is_capture(target: str, path: str) -> bool:
    if target == path:
        return True
    return target.startswith(os.path.join(path, "")) and any(isinstance(one, Exchange) for one in inputs.read(target))
