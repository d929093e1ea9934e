"""Find and read the files of a command. The configuration says which files are left out, and how files are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from isogloss.cli import files, inputs
from isogloss.cli.settings import Configuration
from isogloss.validator.exchange import Exchange, Kind, Skipped

__all__ = ["Corpus", "corpus_options"]


class Corpus:
    """Finds and reads files as a configuration says.

    ``stdin_name`` is the name of standard input: in findings, and where the configuration applies to names.
    """

    def __init__(self, configuration: Configuration, stdin_name: str = inputs.STDIN) -> None:
        self.configuration = configuration
        self.stdin_name = stdin_name
        self._patterns = configuration.patterns()

    def walk(self, paths: Iterable[str]) -> Iterator[str | Skipped]:
        """Yield the files to read under some paths, and the reasons why other files are not read."""
        for given_path in paths:
            for path in self._standard_input() if given_path == "-" else self._walk(given_path):
                if not isinstance(path, Skipped):
                    self._patterns.note_file(self.stdin_name if path == "-" else path)
                yield path

    def _walk(self, given_path: str) -> Iterator[str | Skipped]:
        return files.walk(
            [inputs.display_path(given_path)],
            excluded=self._patterns.excluded,
            respect_gitignore=self.configuration.respect_gitignore,
        )

    def _standard_input(self) -> Iterator[str | Skipped]:
        name = self.name("-")
        reason = self._patterns.excluded(name) if name is not None else None
        yield "-" if reason is None else Skipped(file=self.stdin_name, reason=reason)

    def name(self, path: str) -> str | None:
        """Return the name of a file for the configuration, or ``None`` for standard input without a given name."""
        if path != "-":
            return path
        return self.stdin_name if self.stdin_name != inputs.STDIN else None

    def read(
        self, path: str, *, kind: Kind | None = None, input_format: str | None = None
    ) -> Iterator[Exchange | Skipped]:
        """Read the exchanges in a file."""
        mapping = self.configuration.records(self.name(path))
        return inputs.read(path, kind=kind, input_format=input_format, stdin_name=self.stdin_name, mapping=mapping)

    def unmatched(self, paths: Sequence[str]) -> list[str]:
        """Return a message for each pattern that matched nothing, after these paths were walked.

        Patterns of the configuration count only if its whole folder was walked, to which they are relative. Patterns of
        options always count.
        """
        walked = [os.path.abspath(path) for path in paths if os.path.isdir(path)]
        folder = self.configuration.folder.absolute()
        is_whole_folder_walked = any(folder.is_relative_to(path) for path in walked)
        return self._patterns.unmatched(lambda pattern: is_whole_folder_walked or pattern.origin.startswith("--"))


def corpus_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose the files to read and the configuration."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out files and folders that match, like 'generated/**'. May be repeated.",
    ),
    click.option(
        "--no-respect-gitignore",
        is_flag=True,
        help="Also read what git ignores. A file that is named itself is always read.",
    ),
    click.option(
        "--config",
        "config_file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The configuration, instead of the isogloss.toml or pyproject.toml in this folder or above it.",
    ),
)
