"""Files on disk: which ones to read, in a stable order, and what happens to those that cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from isogloss.cli.jobs import Range
from isogloss.validator import captures
from isogloss.validator.captures import attachments
from isogloss.validator.captures.capture import LARGEST_DOCUMENT, MARKDOWN
from isogloss.validator.captures.mapping import Mapping
from isogloss.validator.exchange import Exchange, Kind, Skipped
from isogloss.validator.secrets import masked

__all__ = ["name_of", "read", "read_part", "shown", "walk"]


_STDIN = "<stdin>"
_RESOURCES = "resources"
"""A folder in which bodies may lie, too."""


_HIDDEN = "a directory whose name begins with a dot, read only where it is named itself"
_OF_TOOLS = frozenset({
    ".bundle", ".cache", ".circleci", ".config", ".direnv", ".eggs", ".git", ".github", ".gitlab", ".gradle", ".hg",
    ".hypothesis", ".idea", ".ipynb_checkpoints", ".mvn", ".mypy_cache", ".next", ".nox", ".npm", ".nuxt", ".pixi",
    ".pnpm-store", ".pytest_cache", ".ruff_cache", ".svn", ".terraform", ".tox", ".turbo", ".venv", ".vs", ".vscode",
    ".yarn",
})  # fmt: skip
"""Folders in which tools keep what is theirs: nobody records traffic there, and nothing is said of them."""


class _Entry(NamedTuple):
    """What stands in a directory; `reason` says why it is not read."""

    path: str
    is_directory: bool = False
    reason: str | None = None


def walk(paths: Iterable[str]) -> Iterator[str | Skipped]:
    """The files to read, in the order given and by name within a directory; ``-`` stands for standard input.

    Directories are walked without what has a name that begins with a dot; of directories that is told. In them only
    files are read: links to directories, pipes, sockets and devices are reported as skipped. A pipe that is named
    itself is read. Files with the bodies of an HTTP Archive in the same directory are left to it, and Markdown is read
    only where it is named itself.
    """
    for path in paths:
        if path != "-" and os.path.isdir(path):
            yield from _inside(path)
        else:
            yield path


def _inside(directory: str) -> Iterator[str | Skipped]:
    pending: list[_Entry] = [_Entry(directory, is_directory=True)]  # the next one last
    with_another: set[str] = set()
    while pending:
        path, is_directory, reason = pending.pop()
        if is_directory:
            try:
                with os.scandir(path) as found:
                    entries = sorted(found, key=lambda entry: entry.name, reverse=True)
            except OSError as error:
                yield Skipped(file=masked(path), reason=f"cannot be listed: {error.strerror or error}")
            else:
                with_another |= _bodies(entries)
                pending += [one for entry in entries if (one := _entry(entry)) is not None]
        elif reason is not None:
            yield Skipped(file=masked(path), reason=reason)
        elif path not in with_another:
            yield path


def _bodies(entries: Sequence[os.DirEntry[str]]) -> set[str]:
    """The files with bodies that the HTTP Archives of a directory name."""
    if not any(attachments.of_a_body(entry.name) or entry.name == _RESOURCES for entry in entries):
        return set()
    found: set[str] = set()
    for entry in entries:
        if entry.name.endswith(".har") and entry.is_file():
            with suppress(OSError), open(entry.path, "rb") as stream:  # whoever reads it says why it cannot be read
                names = attachments.named(iter(lambda: stream.read(1 << 20), b""))
                folder = os.path.dirname(entry.path)
                found |= {os.path.join(folder, name) for name in names if attachments.of_a_body(os.path.basename(name))}
    return found


def _entry(entry: os.DirEntry[str]) -> _Entry | None:
    """An entry of a directory; ``None`` for what is passed over in silence: hidden files, and folders of tools."""
    path = entry.path
    try:
        if entry.name.startswith("."):
            told = entry.is_dir(follow_symlinks=False) and entry.name not in _OF_TOOLS
            return _Entry(path, reason=_HIDDEN) if told else None
        if entry.is_dir(follow_symlinks=False):
            return _Entry(path, is_directory=True)
        if entry.is_file():
            page = path.lower().endswith(MARKDOWN)
            return _Entry(path, reason="Markdown, read only where it is named itself" if page else None)
        if entry.is_dir():
            return _Entry(path, reason="a link to a directory, which is not followed")
        if entry.is_symlink() and not os.path.exists(path):
            return _Entry(path, reason="a link to what is not there")
    except OSError as error:  # a loop of links
        return _Entry(path, reason=f"cannot be read: {error.strerror or error}")
    return _Entry(path, reason="neither a file nor a directory")


def read(
    path: str, *, kind: Kind | None = None, input_format: str | None = None, mapping: Mapping | None = None
) -> Iterator[Exchange | Skipped]:
    """The exchanges in a file, or in standard input for ``-``. What cannot be read is one :class:`Skipped`."""
    if path == "-":
        if sys.stdin is None:
            yield Skipped(file=_STDIN, reason="cannot be read: closed")
            return
        yield from captures.read(captures.Capture(sys.stdin.buffer, _STDIN, kind=kind, mapping=mapping), input_format)
        return
    try:
        with open(path, "rb", buffering=0) as stream:  # read in large blocks only
            capture = captures.Capture(stream, path, kind=kind, beside=partial(_beside, path), mapping=mapping)
            yield from captures.read(capture, input_format)
    except OSError as error:
        yield Skipped(file=masked(path), reason=f"cannot be read: {error.strerror or error}")


def name_of(path: str) -> str:
    """The name that a file goes by in findings, without keys."""
    return _STDIN if path == "-" else masked(path)


def _beside(path: str, name: str) -> bytes | None:
    """The file of that name in the folder of another one, or below it; no link leads out of the folder.

    What WireMock serves may stand in a folder above it, and then no link leads out of that.
    """
    folder = os.path.realpath(os.path.dirname(path))
    found = os.path.realpath(os.path.join(folder, name))
    if name.startswith("../"):
        folder = os.path.realpath(os.path.join(folder, name.partition(attachments.SERVED)[0], attachments.SERVED))
    if os.path.commonpath((folder, found)) != folder or not os.path.isfile(found):
        return None
    try:
        with open(found, "rb") as stream:
            return stream.read(LARGEST_DOCUMENT + 1)
    except OSError as error:
        raise captures.Unreadable(f"a body that cannot be read: {error.strerror or error}") from error


def shown(path: str) -> str:
    """A path as it is named in findings: as seen from where one stands, unless it lies elsewhere."""
    if not os.path.isabs(path):
        return path
    inside = os.path.relpath(path, Path.cwd())
    return path if inside.startswith("..") else inside


def read_part(
    path: str, start: int, end: int, line: int, *, kind: Kind | None = None, mapping: Mapping | None = None
) -> Iterator[Exchange | Skipped]:
    """The exchanges in a file of JSON Lines from byte `start` to `end`, where the first line has that number."""
    try:
        with open(path, "rb") as stream:
            part = captures.Capture(Range(stream, start, end), path, kind=kind, line=line, mapping=mapping)
            yield from captures.read(part, "jsonl")
    except OSError as error:
        yield Skipped(file=masked(path), reason=f"cannot be read: {error.strerror or error}")
