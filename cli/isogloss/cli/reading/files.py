"""Find the files to read, in a stable order: those that are named, and those in folders that are named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from isogloss.cli.reading import stores
from isogloss.cli.reading.unread import unreadable
from isogloss.validator.exchange import Skipped, Why
from isogloss.validator.secrets import mask_text

__all__ = ["PipePath", "walk"]


class PipePath(str):
    """The path of something that is named itself and is no regular file, such as a pipe: opening it may wait."""

    __slots__ = ()


def walk(
    paths: Iterable[str],
    *,
    excluded: Callable[[str], str | None] = lambda path: None,
    respect_gitignore: bool = True,
) -> Iterator[str | Skipped]:
    """Yield the files to read, in the given order, and within a folder by name. ``-`` is standard input.

    ``excluded`` returns why a path is excluded, or ``None``. In a folder, these are left out: what git ignores, names
    that begin with a dot, installed packages, virtual environments, caches, logs of Delta tables, and documentation.
    Only files are read: links to folders, pipes, sockets and devices are skipped. A path that is named itself is read
    unless it is excluded. Files with bodies of an HTTP Archive in the same folder are read with the archive, and files
    that mappings of WireMock name are read with the mappings.
    """
    for path in paths:
        reason = excluded(path) if path != "-" else None
        if reason is not None:
            yield Skipped(file=mask_text(path), why=Why(reason))
        elif stores.is_stored(path):
            yield from _walk_store(path, excluded)
        elif path != "-" and os.path.isdir(path):
            from isogloss.cli.reading.folders import walk_folder  # a hook names files

            yield from walk_folder(path, excluded, respect_gitignore=respect_gitignore)
        else:
            yield path if path == "-" or os.path.isfile(path) else PipePath(path)


def _walk_store(url: str, excluded: Callable[[str], str | None]) -> Iterator[str | Skipped]:
    """Yield the files in a folder of an object store."""
    try:
        for path in stores.walk(url):
            reason = excluded(path)
            yield path if reason is None else Skipped(file=mask_text(path), why=Why(reason))
    except OSError as error:
        yield unreadable(url, error, "listed")
