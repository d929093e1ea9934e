"""Say which files that the user named could not be read, or not to their end: the command then does not pass."""

from __future__ import annotations

from collections.abc import Iterable

from isogloss.cli.configuration.paths import display_path
from isogloss.cli.process import output
from isogloss.cli.reading import inputs
from isogloss.validator.exchange import Skipped
from isogloss.validator.secrets import mask_text

__all__ = ["say_unread"]


def say_unread(paths: Iterable[str], skipped: Iterable[Skipped], stdin_name: str = inputs.STDIN) -> bool:
    """Write a message for each part of a named file that could not be read, or not to its end.

    The members of an archive are parts of it. A file in a folder that is named is not named itself. Return whether
    there is such a part.
    """
    named = {stdin_name if path == "-" else mask_text(display_path(path)) for path in paths}
    unread = [one for one in skipped if one.unread and one.file.partition("!/")[0] in named]
    for problem in dict.fromkeys(f"{one.file}: {one.reason}" for one in unread):
        output.say(f"Error: {problem}")
    return bool(unread)
