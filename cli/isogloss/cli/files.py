"""Which files to read, in a stable order: not those that git ignores, that tools keep, or that are excluded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from isogloss.cli import gitignore, stores
from isogloss.validator.captures import attachments
from isogloss.validator.captures.capture import MARKDOWN
from isogloss.validator.exchange import Skipped
from isogloss.validator.secrets import masked

__all__ = ["IGNORED", "walk"]

IGNORED = "ignored by git"
_INSTALLED = frozenset({"node_modules", "bower_components", "__pypackages__"})
_KEPT_BY_TOOLS = frozenset({"__pycache__", "CVS", "_darcs"})
_HIDDEN = "a directory whose name begins with a dot, read only where it is named itself"
_SERVED = "files that mappings of WireMock serve, read with the mappings"
_OF_TOOLS = frozenset({
    ".bundle", ".cache", ".circleci", ".config", ".direnv", ".eggs", ".git", ".github", ".gitlab", ".gradle", ".hg",
    ".hypothesis", ".idea", ".ipynb_checkpoints", ".mvn", ".mypy_cache", ".next", ".nox", ".npm", ".nuxt", ".pixi",
    ".pnpm-store", ".pytest_cache", ".ruff_cache", ".svn", ".terraform", ".tox", ".turbo", ".venv", ".vs", ".vscode",
    ".yarn",
})  # fmt: skip
"""Directories in which tools keep their own files: nobody records traffic there, and no report names them."""
_RESOURCES = "resources"
"""A folder in which bodies may lie, too."""


class _Entry(NamedTuple):
    """What stands in a directory.

    `reason` says why it is not read. ``ignored`` are the patterns of git that apply where it stands, ``None`` outside
    of a repository, and ``step`` leads from there into it.
    """

    path: str
    is_directory: bool = False
    reason: str | None = None
    ignored: gitignore.Ignored | None = None
    step: str = ""


def walk(
    paths: Iterable[str],
    *,
    excluded: Callable[[str], str | None] = lambda path: None,
    respect_gitignore: bool = True,
) -> Iterator[str | Skipped]:
    """Yield the files to read, in the given order, and within a directory by name. ``-`` is standard input.

    ``excluded`` returns why a path is excluded, or ``None``. In a directory, these are left out: what git ignores,
    names that begin with a dot, installed packages, virtual environments, caches, logs of Delta tables, and Markdown.
    Only files are read: links to directories, pipes, sockets and devices are skipped. A path that is named itself is
    read unless it is excluded. Files with bodies of an HTTP Archive in the same directory are read with the archive,
    and files that WireMock serves are read with its mappings.
    """
    for path in paths:
        reason = excluded(path) if path != "-" else None
        if reason is not None:
            yield Skipped(file=masked(path), reason=reason)
        elif stores.is_stored(path):
            yield from _stored(path, excluded)
        elif path != "-" and os.path.isdir(path):
            above = gitignore.above(path) if respect_gitignore else gitignore.Above(None, itself=True)
            named = _Entry(path, is_directory=True, ignored=above.ignored)
            yield from _inside(named, excluded, respect_gitignore=not above.itself)
        else:
            yield path


def _stored(url: str, excluded: Callable[[str], str | None]) -> Iterator[str | Skipped]:
    """Yield the files in a folder of an object store."""
    try:
        for path in stores.walk(url):
            reason = excluded(path)
            yield path if reason is None else Skipped(file=masked(path), reason=reason)
    except OSError as error:
        yield Skipped(file=masked(url), reason=f"cannot be listed: {error.strerror or error}")


def _inside(
    named: _Entry, excluded: Callable[[str], str | None], *, respect_gitignore: bool
) -> Iterator[str | Skipped]:
    pending = [iter([named])]  # what is left of each directory from the named one down to where one is
    with_another: set[str] = set()
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        path = entry.path
        if entry.reason is not None:
            yield Skipped(file=masked(path), reason=entry.reason)
        elif not entry.is_directory:
            if path not in with_another:
                yield path
        else:
            try:
                with os.scandir(path) as found:
                    entries = sorted(found, key=lambda one: one.name)
            except OSError as error:
                yield Skipped(file=masked(path), reason=f"cannot be listed: {error.strerror or error}")
                continue
            names = {one.name for one in entries if one.name in _MARKS}
            if entry is not named and (reason := _kept_by_a_tool(names)):
                yield Skipped(file=masked(path), reason=reason)
                continue
            ignored = None
            repository, listed = ".git" in names, ".gitignore" in names
            if respect_gitignore and (repository or entry.ignored is not None):
                above = entry.ignored or ()
                ignored = gitignore.below(path, above, entry.step, repository=repository, listed=listed)
            with_another |= _bodies(entries)
            served = os.path.join(path, attachments.SERVED) if _serves(entries) else None
            pending.append(_entries(entries, ignored, excluded, served))


_MARKS = frozenset({"pyvenv.cfg", "CACHEDIR.TAG", ".git", ".gitignore"})
"""Names in a directory that say what it is."""


def _kept_by_a_tool(names: set[str]) -> str | None:
    """Return why a directory with these names in it is left out unless it is named itself, or ``None`` to read it."""
    if "pyvenv.cfg" in names:
        return "a virtual environment"
    return "a cache" if "CACHEDIR.TAG" in names else None


def _serves(entries: Sequence[os.DirEntry[str]]) -> bool:
    """Return whether WireMock serves a directory: it has mappings, and the folder with the files that they name."""
    return {attachments.MAPPINGS, attachments.SERVED} <= {one.name for one in entries}


def _bodies(entries: Sequence[os.DirEntry[str]]) -> set[str]:
    """Return the paths of the files with bodies that the HTTP Archives of a directory name."""
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


def _entries(
    entries: Sequence[os.DirEntry[str]],
    ignored: gitignore.Ignored | None,
    excluded: Callable[[str], str | None],
    served: str | None,
) -> Iterator[_Entry]:
    """Yield the entries of a directory. ``served`` is the folder that mappings of WireMock serve."""
    for one in entries:
        known = _Entry(one.path, reason=_SERVED) if one.path == served else _entry(one, ignored, excluded)
        if known is not None:
            yield known


def _entry(
    entry: os.DirEntry[str], ignored: gitignore.Ignored | None, excluded: Callable[[str], str | None]
) -> _Entry | None:
    """Return an entry of a directory, or ``None`` if no report names it: hidden files, and directories of tools."""
    path, name = entry.path, entry.name
    if name.startswith("."):
        told = name not in _OF_TOOLS and entry.is_dir(follow_symlinks=False)
        return _Entry(path, reason=_HIDDEN) if told else None
    if (reason := excluded(path)) is not None:
        return _Entry(path, reason=reason)
    try:
        is_directory = entry.is_dir(follow_symlinks=False)
        if is_directory and name in _INSTALLED:
            return _Entry(path, reason="installed packages")
        if is_directory and name in _KEPT_BY_TOOLS:
            return _Entry(path, reason="a cache")
        if is_directory and name == "_delta_log":
            return _Entry(path, reason="the log of a Delta table: files beside it may hold rows that were deleted")
        if ignored and gitignore.ignores(ignored, name, is_directory=is_directory):
            return _Entry(path, reason=IGNORED)
        if is_directory:
            return _Entry(path, is_directory=True, ignored=ignored, step=f"{name}/")
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
