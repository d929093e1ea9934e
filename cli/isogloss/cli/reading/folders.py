"""Find the files in a folder.

Files that git ignores, files that tools keep, and excluded files are left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import attrgetter

from msgspec import Struct

from isogloss.cli.configuration.paths import display_path
from isogloss.cli.reading import gitignore
from isogloss.cli.reading.unread import IGNORED, unreadable
from isogloss.validator.captures import attachments
from isogloss.validator.captures.capture import PAGES
from isogloss.validator.exchange import Cause, Skipped, Why
from isogloss.validator.secrets import mask_text

__all__ = ["walk_folder"]

_LEFT_OUT = {
    "node_modules": "installed packages",
    "bower_components": "installed packages",
    "__pypackages__": "installed packages",
    "__pycache__": "a cache",
    "CVS": "the files of a version control system",
    "_darcs": "the files of a version control system",
    "_delta_log": "the log of a Delta table: files beside it may hold rows that were deleted",
}
"""Names of folders that are left out, each with the reason."""
_HIDDEN_REASON = "a folder whose name begins with a dot; name it to read it"
_DOCUMENTATION = Why("documentation; name a page to read it")
_TOOL_FOLDERS = frozenset({
    ".bundle", ".cache", ".circleci", ".config", ".direnv", ".eggs", ".git", ".github", ".gitlab", ".gradle", ".hg",
    ".hypothesis", ".idea", ".ipynb_checkpoints", ".mvn", ".mypy_cache", ".next", ".nox", ".npm", ".nuxt", ".pixi",
    ".pnpm-store", ".pytest_cache", ".ruff_cache", ".svn", ".terraform", ".tox", ".turbo", ".venv", ".vs", ".vscode",
    ".yarn",
})  # fmt: skip
"""Folders in which tools keep their own files. Nobody records traffic there, and no report names them."""
_RESOURCES = "resources"
"""A folder that may hold bodies, too."""


class _Folder(Struct, frozen=True):
    """A folder whose entries are read.

    ``ignored`` are the patterns of git that apply in the folder that holds it, or ``None`` outside of a repository.
    ``step`` is the path from there into this folder.
    """

    path: str
    ignored: gitignore.IgnorePatterns | None
    step: str = ""


def walk_folder(
    path: str, excluded: Callable[[str], str | None], *, respect_gitignore: bool
) -> Iterator[str | Skipped]:
    """Yield the files in a folder and in those inside it, sorted by name, and why others are left out."""
    errors: list[OSError] = []
    above = gitignore.PatternsAbove(None, itself=True)
    if respect_gitignore:
        above = gitignore.patterns_above(path, errors)
    yield from map(_without_patterns, errors)
    yield from _walk(_Folder(path, above.ignored), excluded, respect_gitignore=not above.itself)


def _walk(root: _Folder, excluded: Callable[[str], str | None], *, respect_gitignore: bool) -> Iterator[str | Skipped]:
    # for each folder from the root down to the current one, its remaining entries
    pending: list[Iterator[str | Skipped | _Folder]] = [iter([root])]
    body_paths: set[str] = set()
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        if isinstance(entry, str):
            if entry not in body_paths:
                is_page = entry.lower().endswith(PAGES)
                yield Skipped(file=mask_text(entry), why=_DOCUMENTATION) if is_page else entry
        elif isinstance(entry, Skipped):
            yield entry
        else:
            path = entry.path
            try:
                with os.scandir(path) as scanned:
                    entries = sorted(scanned, key=attrgetter("name"))
            except OSError as error:
                yield unreadable(path, error, "listed")
                continue
            names = {one.name for one in entries}
            if entry is not root and (reason := _tool_reason(names)):
                yield Skipped(file=mask_text(path), why=Why(reason))
                continue
            ignored = None
            is_repository, has_gitignore = ".git" in names, ".gitignore" in names
            if respect_gitignore and (is_repository or entry.ignored is not None):
                ignored_above = entry.ignored or ()
                errors: list[OSError] = []
                ignored = gitignore.patterns_below(
                    path, ignored_above, entry.step, errors, repository=is_repository, listed=has_gitignore
                )
                yield from map(_without_patterns, errors)
            body_paths |= _body_paths(entries) | _served_paths(path, names)
            pending.append(_entries(entries, ignored, excluded))


def _without_patterns(error: OSError) -> Skipped:
    """Return what is reported for a file with patterns of git that cannot be read."""
    words = f"cannot be read: {error.strerror}; what it would ignore is read"
    return Skipped(file=mask_text(display_path(error.filename)), why=Why(words, Cause.UNREAD))


def _tool_reason(names: set[str]) -> str | None:
    """Return why a folder with these names in it is left out unless it is named itself, or ``None`` to read it."""
    if "pyvenv.cfg" in names:
        return "a virtual environment"
    return "a cache" if "CACHEDIR.TAG" in names else None


def _body_paths(entries: Sequence[os.DirEntry[str]]) -> set[str]:
    """Return the paths of the files with bodies that the HTTP Archives of a folder, or a trace in it, name."""
    archives = [entry for entry in entries if entry.name.endswith(attachments.ARCHIVES)]
    if not archives or not any(attachments.is_body_name(one.name) or one.name == _RESOURCES for one in entries):
        return set()
    paths: set[str] = set()
    for entry in archives:
        if entry.is_file() and not _leads_to_nothing(entry):
            folder, names = os.path.dirname(entry.path), _attachment_names(entry.path)
            paths |= {os.path.join(folder, name) for name in names if attachments.is_body_name(os.path.basename(name))}
    return paths


def _served_paths(path: str, names: set[str]) -> set[str]:
    """Return the paths of the files that the mappings of WireMock name, in a folder with these names in it."""
    if not {attachments.MAPPINGS, attachments.SERVED} <= names:
        return set()
    mappings = (
        os.path.join(folder, name)
        for folder, _, names in os.walk(os.path.join(path, attachments.MAPPINGS))
        for name in names
        if name.endswith((".json", ".yaml", ".yml"))
    )
    served_folder = os.path.join(path, attachments.SERVED)
    return {
        os.path.join(served_folder, name)
        for mapping in mappings
        if os.path.isfile(mapping)
        for name in _attachment_names(mapping)
    }


def _attachment_names(path: str) -> set[str]:
    """Return the names of the files that a file refers to. An error is reported when the file itself is read."""
    with suppress(OSError), open(path, "rb") as stream:
        return attachments.attachment_names(iter(lambda: stream.read(1 << 20), b""))
    return set()


def _entries(
    entries: Sequence[os.DirEntry[str]],
    ignored: gitignore.IgnorePatterns | None,
    excluded: Callable[[str], str | None],
) -> Iterator[str | Skipped | _Folder]:
    """Yield the entries of a folder: the files to read, the folders, and what is not read."""
    for entry in entries:
        try:
            result = _reason_or_folder(entry, ignored, excluded)
        except OSError as error:  # a loop of links
            yield unreadable(entry.path, error)
            continue
        if result is None:
            yield entry.path
        elif isinstance(result, _Folder):
            yield result
        elif result:
            yield Skipped(file=mask_text(entry.path), why=Why(result))


def _leads_to_nothing(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a link to a file of no bytes. Some files of the system, too, say that they have none.

    A process that reads these may wait for ever.
    """
    return entry.is_symlink() and entry.stat().st_size == 0


def _reason_or_folder(
    entry: os.DirEntry[str], ignored: gitignore.IgnorePatterns | None, excluded: Callable[[str], str | None]
) -> str | _Folder | None:
    """Return why an entry of a folder is not read, or the folder that it is. Return ``None`` for a file to read.

    The reason is empty for what no report names: hidden files, and folders of tools. Raises ``OSError``.
    """
    path, name = entry.path, entry.name
    if name.startswith("."):
        is_reported = name not in _TOOL_FOLDERS and entry.is_dir(follow_symlinks=False)
        return _HIDDEN_REASON if is_reported else ""
    if (reason := excluded(path)) is not None:
        return reason
    is_folder = entry.is_dir(follow_symlinks=False)
    if is_folder and name in _LEFT_OUT:
        return _LEFT_OUT[name]
    if ignored and gitignore.ignores(ignored, name, is_directory=is_folder):
        return IGNORED
    if is_folder:
        return _Folder(path, ignored, f"{name}/")
    if entry.is_file():
        return "a link to a file without contents" if _leads_to_nothing(entry) else None
    if entry.is_dir():
        return "a link to a folder, which is not followed"
    if entry.is_symlink() and not os.path.exists(path):
        return "a link to something that does not exist"
    return "neither a file nor a folder"
