"""Find what git ignores.

The patterns are in the ``.gitignore`` of every folder, in ``info/exclude`` of the repository, and in the user's own
file of excludes.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["IgnorePatterns", "PatternsAbove", "ignores", "is_repository", "patterns_above", "patterns_below"]

_EXCLUDES_FILE = r"(?im)^\s*excludesfile\s*=\s*\"?(.+?)\"?\s*$"

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \t", "digit": "0-9", "lower": "a-z", "space": " \t\n\r\f\v",
    "upper": "A-Z", "word": "a-zA-Z0-9_", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_CLASS = re.compile(rf"\[:({'|'.join(_CLASSES)}):\]")
"""A class of characters inside of brackets, which git knows and pathspec does not."""
_BELOW_FOLDER = re.compile(r"/\*\*/(?= *$)")
"""The end of a pattern like ``a/**/``. pathspec (1.1.1) reads it as ``a/``, but git as ``a/**/*/``: folders below."""


class _Patterns(NamedTuple):
    """The patterns of one file. ``prefix`` is the path from its folder to the current one: empty, or like ``a/b/``."""

    spec: GitIgnoreSpec
    prefix: str


IgnorePatterns: TypeAlias = tuple[_Patterns, ...]
"""The patterns that apply in a folder. Later ones count for more."""


def is_repository(folder: str) -> bool:
    """Return whether a folder is the root of a git repository, or of one of its worktrees."""
    return os.path.exists(os.path.join(folder, ".git"))


class PatternsAbove(Struct, frozen=True):
    """The patterns that apply in a folder and come from the folders above it.

    ``ignored`` is ``None`` outside of a repository. ``itself`` says whether git ignores the folder itself.
    """

    ignored: IgnorePatterns | None
    itself: bool = False


def patterns_above(folder: str) -> PatternsAbove:
    """Return the patterns that apply in a folder and come from the folders above it."""
    path = Path(os.path.abspath(folder))
    root = next((one for one in (path, *path.parents) if is_repository(str(one))), None)
    if root is None or root == path:
        return PatternsAbove(None)
    current = root
    ignored = patterns_below(str(current), (), "", repository=True, listed=os.path.exists(current / ".gitignore"))
    for name in path.relative_to(root).parts:
        if ignores(ignored, name, is_directory=True):
            return PatternsAbove(ignored, itself=True)
        current /= name
        listed = current != path and os.path.exists(current / ".gitignore")
        ignored = patterns_below(str(current), ignored, f"{name}/", repository=False, listed=listed)
    return PatternsAbove(ignored)


def patterns_below(
    folder: str, ignored: IgnorePatterns, step: str, *, repository: bool, listed: bool
) -> IgnorePatterns:
    """Return the patterns that apply in a folder, one ``step`` (``name/``) below the folder where `ignored` apply.

    ``listed`` says whether the folder has a ``.gitignore``. A ``repository`` takes no patterns from around it.
    """
    patterns = (
        _repository_patterns(folder) if repository else tuple(_Patterns(one.spec, one.prefix + step) for one in ignored)
    )
    return (*patterns, *_read_patterns(os.path.join(folder, ".gitignore"))) if listed else patterns


def ignores(ignored: IgnorePatterns, name: str, *, is_directory: bool) -> bool:
    """Return whether git ignores the entry with this name in a folder where these patterns apply."""
    for spec, way in reversed(ignored):
        path = f"{way}{name}{'/' if is_directory else ''}"
        for pattern in reversed(list(spec.patterns)):
            if pattern.include is not None and _matches(pattern, path):
                return pattern.include
    return False


def _matches(pattern: Any, path: str) -> bool:
    """Return whether a pattern matches a path itself, not only a folder above it. That folder was checked before.

    A named group of the regular expression matches the slash after a folder that the pattern names. Without that group,
    the slash belongs to a pattern for what is in the folder, as in ``a/**``.
    """
    names_folder = any(match.lastgroup and match.end() == len(path) for match in pattern.regex.finditer(path))
    return names_folder or any(not match.lastgroup for match in pattern.regex.finditer(path.rstrip("/")))


def _repository_patterns(root: str) -> IgnorePatterns:
    """Return the patterns of a repository that are in no ``.gitignore``: first those of the user, then its own."""
    return (*_read_patterns(_user_excludes_file()), *_read_patterns(os.path.join(_git_folder(root), "info", "exclude")))


def _git_folder(root: str) -> str:
    """Return the folder of git that has the settings of a repository.

    In a worktree or a submodule, ``.git`` is a file that names a folder. A worktree shares the folder of its
    repository, and a submodule has its own.
    """
    folder = os.path.join(root, ".git")
    if os.path.isdir(folder):
        return folder
    named_folder = _read_text(folder).partition("gitdir:")[2].strip()
    git_folder = os.path.join(root, named_folder)
    return os.path.join(git_folder, _read_text(os.path.join(git_folder, "commondir")).strip())


def _user_excludes_file() -> str:
    """Return the file of excludes that the user's configuration of git names, or the one that git reads by default."""
    config_folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    for file in (os.path.join(os.path.expanduser("~"), ".gitconfig"), os.path.join(config_folder, "git", "config")):
        match = re.search(_EXCLUDES_FILE, _read_text(file))
        if match is not None:
            return os.path.expanduser(match[1])
    return os.path.join(config_folder, "git", "ignore")


def _read_patterns(file: str) -> IgnorePatterns:
    lines = [_BELOW_FOLDER.sub("/**/*/", line) for line in _read_text(file).splitlines()]
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return ()
    from pathspec import GitIgnoreSpec  # slow to import, and most runs check single files

    lines = [_CLASS.sub(_class_as_range, line) for line in lines]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of characters that may mean more in a later Python
        try:
            return (_Patterns(GitIgnoreSpec.from_lines(lines), ""),)
        except (ValueError, re.error):  # one line is no pattern: it is left out, as in git
            return (_Patterns(GitIgnoreSpec.from_lines(filter(_is_pattern, lines)), ""),)


def _class_as_range(match: re.Match[str]) -> str:
    return _CLASSES[match[1]]


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


def _read_text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return ""
