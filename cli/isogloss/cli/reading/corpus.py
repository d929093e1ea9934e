"""Find and read the files of a command. The configuration says which files are left out, and how files are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, TypeGuard

import click

from isogloss.cli.configuration.option_groups import join
from isogloss.cli.configuration.parameters import ExistingPath, Parameter
from isogloss.cli.configuration.paths import display_path, distinct, name_of
from isogloss.cli.configuration.patterns import fault
from isogloss.cli.configuration.settings import Configuration
from isogloss.cli.reading import files, inputs
from isogloss.validator.captures import Capture, input_formats
from isogloss.validator.captures.capture import Readable
from isogloss.validator.exchange import Exchange, Kind, Skipped, Why
from isogloss.validator.findings import STDIN
from isogloss.validator.suggesting import unknown

__all__ = ["Corpus", "config_option", "corpus_options", "input_format_option"]

_OPENED_AT_ONCE = 32
"""How many files are opened before the first of them is read. To open one after each that was read takes longer."""


class Corpus:
    """Finds and reads files as a configuration says.

    ``stdin_name`` is the name of standard input: in findings, and where the configuration applies to names.
    ``streams`` are those that are open already, by path. ``input_format`` is the format of all files. If it is
    ``None``, each file shows what it is.
    """

    def __init__(
        self,
        configuration: Configuration,
        stdin_name: str = STDIN,
        streams: Mapping[str, Readable] | None = None,
        *,
        input_format: str | None = None,
    ) -> None:
        self.configuration = configuration
        self.stdin_name = stdin_name
        self._streams = streams or {}
        self._input_format = input_format
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
            [display_path(given_path)],
            excluded=self._patterns.excluded,
            respect_gitignore=self.configuration.respect_gitignore,
        )

    def _standard_input(self) -> Iterator[str | Skipped]:
        name = self.name("-")
        reason = self._patterns.excluded(name) if name is not None else None
        yield "-" if reason is None else Skipped(file=self.stdin_name, why=Why(reason))

    def name(self, path: str) -> str | None:
        """Return the name of a file for the configuration, or ``None`` for standard input without a given name."""
        if path != "-":
            return path
        return self.stdin_name if self.stdin_name != STDIN else None

    def read_all(
        self, paths: Iterable[str | Skipped], *, kind: Kind | None = None
    ) -> Iterator[tuple[str | Skipped, Iterable[Exchange | Skipped]]]:
        """Yield each file with the exchanges in it, in order, and what is not read, with nothing in it.

        The exchanges must be read before the next file is asked for. Some files are opened before the first of them is
        read. A pipe or standard input is opened when it is read, since its writer may wait until then, and no file
        after it is opened before.
        """
        for group in _groups(paths):
            streams: list[BinaryIO] = []
            try:
                opened = [self._open(path, kind, streams) if _is_file(path) else None for path in group]
                opened.reverse()
                for path in group:
                    capture = opened.pop()  # so that nothing is kept of what was read
                    if isinstance(path, Skipped):
                        yield path, ()
                    else:
                        yield path, inputs.exchanges(capture or self._open(path, kind, streams), self._input_format)
            finally:
                for stream in streams:
                    stream.close()

    def exchanges(self, given_paths: Sequence[str], skipped: list[Skipped]) -> Iterator[Exchange]:
        """Yield every exchange under some paths, and add to ``skipped`` what is not read."""
        for path, found in self.read_all(distinct(self.walk(given_paths), given_paths)):
            if isinstance(path, Skipped):
                skipped.append(path)
            for one in found:
                if isinstance(one, Skipped):
                    skipped.append(one)
                else:
                    yield one

    def _open(self, path: str, kind: Kind | None, streams: list[BinaryIO]) -> Capture | Skipped:
        """Open a file or standard input, or return why it cannot be read. Add the stream of a file to ``streams``."""
        mapping = self.configuration.records(self.name(path))
        if path in self._streams:
            return Capture(self._streams[path], name_of(path), kind=kind, mapping=mapping)
        if path == "-":
            return inputs.standard_input(kind=kind, name=self.stdin_name, mapping=mapping)
        capture, stream = inputs.open_capture(path, kind=kind, mapping=mapping)
        if stream is not None:
            streams.append(stream)
        return capture

    def unmatched(self, paths: Sequence[str]) -> list[str]:
        """Return a message for each pattern that matched nothing, after these paths were walked.

        Patterns of the configuration count only if its whole folder was walked, to which they are relative. Patterns of
        options always count.
        """
        is_whole = self.is_whole(paths)
        return self._patterns.unmatched(lambda pattern: is_whole or pattern.origin.startswith("--"))

    def is_whole(self, paths: Sequence[str]) -> bool:
        """Return whether the whole folder of the configuration is among these paths, or below one of them."""
        walked = [os.path.abspath(path) for path in paths if os.path.isdir(path)]
        folder = self.configuration.folder.absolute()
        return any(folder.is_relative_to(path) for path in walked)


def _groups(paths: Iterable[str | Skipped]) -> Iterator[list[str | Skipped]]:
    """Yield the paths in groups whose files may be opened together. A pipe is the last one of its group."""
    group: list[str | Skipped] = []
    for path in paths:
        group.append(path)
        if len(group) == _OPENED_AT_ONCE or not (isinstance(path, Skipped) or _is_file(path)):
            yield group
            group = []
    if group:
        yield group


def _is_file(path: str | Skipped) -> TypeGuard[str]:
    """Return whether a path is that of a file, and not of a pipe or standard input."""
    return type(path) is str and path != "-"


def _check_patterns(_ctx: click.Context, _param: click.Parameter, patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        if problem := fault(pattern):
            raise click.BadParameter(problem)
    return patterns


class _InputFormat(Parameter):
    """The name of an input format. The formats are imported only if a name was given, to check it."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in input_formats():
            self.fail(unknown("input format", value, sorted(input_formats())), param, ctx)
        return value


input_format_option = click.option(
    "--input-format",
    type=_InputFormat(),
    help="Read all files as this format, such as jsonl or log, instead of recognising the format.",
)
"""Adds ``--input-format`` to a command."""

config_option = click.option(
    "--config",
    "config_file",
    type=ExistingPath(),
    metavar="FILE",
    help="The configuration, instead of the isogloss.toml or pyproject.toml in this folder or above it.",
)
corpus_options = join(
    click.option(
        "--exclude",
        multiple=True,
        callback=_check_patterns,
        metavar="PATTERN",
        help="Leave out files and folders that match, like 'generated/**'. May be repeated.",
    ),
    click.option(
        "--no-respect-gitignore",
        "respect_gitignore",
        is_flag=True,
        callback=lambda _ctx, _param, is_given: False if is_given else None,
        help="Also read what git ignores. A file that you name is always read.",
    ),
    config_option,
)
"""Adds the options that choose the files to read and the configuration."""
