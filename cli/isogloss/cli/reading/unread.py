"""Say why files are not read. If a file that the user named is not read to its end, the command does not pass."""

from __future__ import annotations

from collections.abc import Iterable

from isogloss.cli.configuration.paths import display_path, outermost
from isogloss.cli.process import output
from isogloss.validator.exchange import Cause, Skipped, Why
from isogloss.validator.findings import STDIN
from isogloss.validator.secrets import mask_text

__all__ = ["IGNORED", "say_unread", "unreadable"]

IGNORED = "ignored by git"


def unreadable(path: str, error: OSError, how: str = "read") -> Skipped:
    """Return what is reported in place of a file or folder that the system does not let us read, or list."""
    return Skipped(file=mask_text(path), why=Why(f"cannot be {how}: {error.strerror or error}", Cause.UNREAD))


def say_unread(paths: Iterable[str], skipped: Iterable[Skipped], stdin_name: str = STDIN) -> bool:
    """Write a message for each part of a named file that could not be read, or not to its end.

    The members of an archive are parts of it. A file in a folder that is named is not named itself. Return whether
    there is such a part.
    """
    named = {stdin_name if path == "-" else mask_text(display_path(path)) for path in paths}
    unread = [skip for skip in skipped if skip.unread and outermost(skip.file) in named]
    for problem in dict.fromkeys(f"{one.file}: {one.reason}" for one in unread):
        output.say(f"Error: {problem}")
    return bool(unread)
