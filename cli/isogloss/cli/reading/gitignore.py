"""Find what git ignores.

The patterns are in the ``.gitignore`` of every folder, in ``info/exclude`` of the repository, and in the user's own
file of excludes. They mean what they mean in git (2.39): ``wildmatch.c`` and ``dir.c`` there match bytes, and so are
paths and patterns here texts with one character for each byte.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from isogloss.cli.configuration import globs

__all__ = ["IgnorePatterns", "PatternsAbove", "ignores", "is_repository", "patterns_above", "patterns_below"]

_EXCLUDES_FILE = r"(?im)^[ \t]*excludesfile[ \t]*=[ \t]*\"?([^\r\n\"]+)"
_LARGEST_FILE = 100 << 20
"""Git (2.39) reads no larger files of patterns."""
_LONGEST_PATTERN = 4096
"""No path is longer than that, and so no pattern needs to be."""

_IN_CLASS = r"\[:([^\]]*):\]|(\\.|[^\\])(?:-(\\.|[^\]\\]))?"
"""What a class holds: the name of another class, a character, or a range. The first may be a closing bracket."""
_LATER_IN_CLASS = _IN_CLASS.replace(r"[^\\]", r"[^\\\]]")
_TOKEN = rf"(?s)\*+|\\.|\[[!^]?+(?>{_IN_CLASS})(?>{_LATER_IN_CLASS})*+\]|."
_DIGITS, _LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
_LETTERS = _LOWER + _LOWER.upper()
_VISIBLE = "".join(map(chr, range(33, 127)))
_CLASSES = {
    "alnum": _LETTERS + _DIGITS, "alpha": _LETTERS, "blank": " \t", "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": _DIGITS, "graph": _VISIBLE, "lower": _LOWER, "print": _VISIBLE + " ",
    "punct": "".join(one for one in _VISIBLE if not one.isalnum()), "space": " \t\n\r\f\v",
    "upper": _LOWER.upper(), "xdigit": _DIGITS + "abcdefABCDEF",
}  # fmt: skip
"""The characters of each class, by its name."""


class _Pattern(NamedTuple):
    """A line of a file. ``in_path`` says whether it is for the path from the folder of the file, or for the name."""

    matches: Callable[[str], object]
    in_path: bool
    is_for_directories: bool
    includes: bool


class _Patterns(NamedTuple):
    """The patterns of one file, the last first. ``prefix`` is the path from its folder: empty, or like ``a/b/``."""

    patterns: tuple[_Pattern, ...]
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


def patterns_above(folder: str, errors: list[OSError]) -> PatternsAbove:
    """Return the patterns that apply in a folder and come from the folders above it.

    For each file of patterns that cannot be read, add the error to ``errors``.
    """
    path = Path(os.path.abspath(folder))
    root = next((one for one in (path, *path.parents) if is_repository(str(one))), None)
    if root is None or root == path:
        return PatternsAbove(None)
    current = root
    ignored = patterns_below(str(current), (), "", errors, repository=True, listed=True)
    for name in path.relative_to(root).parts:
        if ignores(ignored, name, is_directory=True):
            return PatternsAbove(ignored, itself=True)
        current /= name
        ignored = patterns_below(str(current), ignored, f"{name}/", errors, repository=False, listed=current != path)
    return PatternsAbove(ignored)


def patterns_below(
    folder: str, ignored: IgnorePatterns, step: str, errors: list[OSError], *, repository: bool, listed: bool
) -> IgnorePatterns:
    """Return the patterns that apply in a folder, one ``step`` (``name/``) below the folder where `ignored` apply.

    ``listed`` says whether the folder has a ``.gitignore``. A ``repository`` takes no patterns from around it. For each
    file of patterns that cannot be read, add the error to ``errors``.
    """
    patterns = (
        _repository_patterns(folder, errors)
        if repository
        else tuple(_Patterns(one.patterns, one.prefix + step) for one in ignored)
    )
    return (
        (*patterns, *_read_patterns(os.path.join(folder, ".gitignore"), errors, follow=False)) if listed else patterns
    )


def ignores(ignored: IgnorePatterns, name: str, *, is_directory: bool) -> bool:
    """Return whether git ignores the entry with this name in a folder where these patterns apply."""
    name = _text_of_bytes(name)
    for patterns, prefix in reversed(ignored):
        path = _text_of_bytes(prefix) + name
        for pattern in patterns:
            is_meant = is_directory or not pattern.is_for_directories
            if is_meant and pattern.matches(path if pattern.in_path else name):
                return not pattern.includes
    return False


def _text_of_bytes(path: str) -> str:
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def _repository_patterns(root: str, errors: list[OSError]) -> IgnorePatterns:
    """Return the patterns of a repository that are in no ``.gitignore``: first those of the user, then its own."""
    own_file = os.path.join(_git_folder(root), "info", "exclude")
    return (*_read_patterns(_user_excludes_file(), errors), *_read_patterns(own_file, errors))


def _git_folder(root: str) -> str:
    """Return the folder of git that has the settings of a repository.

    In a worktree or a submodule, ``.git`` is a file that names a folder. A worktree shares the folder of its
    repository, and a submodule has its own.
    """
    folder = os.path.join(root, ".git")
    if os.path.isdir(folder):
        return folder
    git_folder = os.path.join(root, _path_in(_read_text(folder).partition("gitdir:")[2]))
    return os.path.join(git_folder, _path_in(_read_text(os.path.join(git_folder, "commondir"))))


def _user_excludes_file() -> str:
    """Return the file of excludes that the user's configuration of git names, or the one that git reads by default."""
    config_folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    for file in (os.path.join(os.path.expanduser("~"), ".gitconfig"), os.path.join(config_folder, "git", "config")):
        match = re.search(_EXCLUDES_FILE, _read_text(file))
        if match is not None:
            return os.path.expanduser(_path_in(match[1]))
    return os.path.join(config_folder, "git", "ignore")


def _path_in(text: str) -> str:
    return os.fsdecode(text.strip(" \t\r\n").encode("latin-1"))


def _read_patterns(file: str, errors: list[OSError], *, follow: bool = True) -> IgnorePatterns:
    """Return the patterns in a file. Git does not ``follow`` a link that is called ``.gitignore``."""
    lines = _read_text(file, errors, follow=follow).removeprefix("\xef\xbb\xbf").split("\n")
    patterns = [pattern for line in reversed(lines) if (pattern := _pattern(line.removesuffix("\r"))) is not None]
    return (_Patterns(tuple(patterns), ""),) if patterns else ()


def _pattern(line: str) -> _Pattern | None:
    """Return the pattern on a line, or ``None`` if there is none, or if it can match nothing."""
    if not line or line.startswith("#"):
        return None
    pattern = _without_spaces_at_end(line)
    includes = pattern.startswith("!")
    pattern = pattern[includes:]
    is_for_directories = pattern.endswith("/")
    pattern = pattern[: len(pattern) - is_for_directories]
    in_path = "/" in pattern
    matches = _matcher(pattern[1:] if pattern.startswith("/") else pattern)
    return None if matches is None else _Pattern(matches, in_path, is_for_directories, includes)


def _without_spaces_at_end(line: str) -> str:
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if backslashes % 2 else bare  # a space behind a backslash stays


def _matcher(pattern: str) -> Callable[[str], object] | None:
    """Return a function that tells whether a text matches a pattern, or ``None`` if none does."""
    if not pattern or len(pattern) > _LONGEST_PATTERN:
        return None
    if not re.search(r"[*?\[\\]", pattern):
        return pattern.__eq__
    tokens = list(_tokens(pattern))
    return None if "" in tokens else re.compile(globs.expression(tokens, r"\Z"), re.DOTALL).match


def _tokens(pattern: str) -> Iterator[str]:
    """Yield the tokens of a pattern for :func:`globs.expression`. The last one is empty if it can match nothing."""
    match_token = re.compile(_TOKEN).match
    is_literal = True  # there was no wildcard so far
    at_part = True  # a part of the path begins here, or what git takes for it
    position = 0
    while (match := match_token(pattern, position)) is not None:
        text, position = match[0], match.end()
        is_literal = is_literal and text[0] not in "*?[\\"
        if text.startswith("*"):
            is_path = at_part and len(text) > 1
            if is_path and pattern.startswith("/", position):
                position += 1
                yield globs.FOLDERS
                continue
            is_path = is_path and (position == len(pattern) or pattern.startswith("\\/", position))
            yield globs.PATH if is_path else globs.NAME
        elif text == "?":
            yield globs.CHARACTER
        elif text in ("[", "\\"):  # without an end
            yield ""
            return
        else:
            yield _class(text) if text.startswith("[") else re.escape(text[-1])
        at_part = is_literal or text[-1] == "/"


def _class(text: str) -> str:
    """Return the expression for a class of characters in brackets, or nothing if there is none in it."""
    is_negated = text[1] in "!^"
    characters: set[str] = set()
    for name, first, last in re.findall(_IN_CLASS, text[1 + is_negated : -1], re.DOTALL):
        if first:
            characters.add(first[-1])
            characters.update(map(chr, range(ord(first[-1]), ord((last or first)[-1]) + 1)))
        elif name in _CLASSES:
            characters.update(_CLASSES[name])
        else:
            return ""
    if is_negated:
        return f"[^/{re.escape(''.join(sorted(characters)))}]"
    return f"[{re.escape(''.join(sorted(characters - {'/'})))}]" if characters - {"/"} else ""


def _read_text(file: str, errors: list[OSError] | None = None, *, follow: bool = True) -> str:
    """Return the text of a file, with a character for each byte. It is empty if this is no file that can be read.

    If it cannot be read although it is there, add the error to ``errors``.
    """
    try:
        status = os.stat(file, follow_symlinks=follow)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            return ""
        with open(file, encoding="latin-1", newline="") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a name with a null byte
        return ""
    except OSError as error:
        if errors is not None:
            errors.append(error)
        return ""
