"""Read a file that a user names, other than a capture, whole and within a bound."""

from __future__ import annotations

from pathlib import Path

import click

from isogloss.cli.configuration.paths import display_path
from isogloss.validator.captures.capture import LARGEST_DOCUMENT, read_fully

__all__ = ["read_named"]


def read_named(path: Path, what: str = "", *, hint: str = "") -> bytes:
    """Return the content of a file. Raises ``click.UsageError`` if it cannot be read, or has too much.

    ``what`` is what the file should be, such as ``the baseline``, and ``hint`` what to do if it cannot be read.
    """
    name = f"{what} {display_path(str(path))}".lstrip()
    try:
        with path.open("rb") as file:
            data = read_fully(file, LARGEST_DOCUMENT + 1)
    except OSError as error:
        raise click.UsageError(f"cannot read {name}: {error.strerror or error}{hint}") from error
    if len(data) > LARGEST_DOCUMENT:
        raise click.UsageError(f"{name} has more than {LARGEST_DOCUMENT >> 20} MiB; is it the right file?")
    return data
