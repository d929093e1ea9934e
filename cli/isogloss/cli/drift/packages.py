"""Read the text files of a package: in a wheel, in the tarball of an npm package, in a folder, or installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from isogloss.cli.configuration.named_files import read_named
from isogloss.cli.drift.described import UnreadableSource
from isogloss.validator.captures.capture import Capture
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, Unreadable
from isogloss.validator.captures.wrapping import unwrap

__all__ = ["PackageFiles", "npm_package", "python_package"]

_SUFFIXES = (".py", ".d.ts")


class PackageFiles:
    """The files with types, by their path inside the package. Files in a folder are read when they are needed."""

    def __init__(self, name: str, files: Mapping[str, bytes | Path]) -> None:
        self.name = name
        self._files = files

    def has(self, path: str) -> bool:
        """Return whether the package has a file with this path."""
        return path in self._files

    def text(self, path: str) -> str:
        """Return the text of a file. Raises :class:`UnreadableSource`."""
        try:
            content = self._files[path]
            return (read_named(content) if isinstance(content, Path) else content).decode("utf-8")
        except KeyError as error:
            raise UnreadableSource(f"{self.name} has no {path}") from error
        except UnicodeDecodeError as error:
            raise UnreadableSource(f"{self.name}: {path}: {error}") from error


def python_package(given: str) -> PackageFiles:
    """Return the files of a Python package: a wheel, its unpacked folder, or an installed package with this name.

    An installed package is found, but not imported.
    """
    path = Path(given)
    if path.suffix == ".whl":
        return _archive(path, "wheel")
    if path.is_dir():
        return _folder(path.absolute().name, path)
    if not given.isidentifier():
        raise UnreadableSource(f"{given!r} is neither a wheel nor a folder nor the name of a package")
    try:
        spec = importlib.util.find_spec(given)
    except ValueError:  # a module of this program that was not imported, such as ``__main__``
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise UnreadableSource(f"no package called {given!r} is installed")
    return _folder(_name_with_version(given), Path(next(iter(spec.submodule_search_locations))))


def npm_package(path: Path) -> PackageFiles:
    """Return the files of an npm package: of the tarball that ``npm pack`` writes, or of its unpacked folder."""
    return _folder(path.absolute().name, path) if path.is_dir() else _archive(path, "tarball")


def _archive(path: Path, kind: str) -> PackageFiles:
    files: dict[str, bytes | Path] = {}
    left = LARGEST_DOCUMENT
    try:
        with path.open("rb") as file:
            for member in _members(Capture(file, path.name)):
                if member.name.endswith(_SUFFIXES):
                    content = member.text.data
                    left -= len(content)
                    if left < 0:
                        raise UnreadableSource(f"{path} has more than {LARGEST_DOCUMENT >> 20} MiB of types")
                    files[_without_first_folder(member.name.rpartition("!/")[2])] = content
    except (OSError, Unreadable) as error:
        raise UnreadableSource(f"{path} is no {kind} that can be read: {error}") from error
    if not files:
        raise UnreadableSource(f"{path} is no {kind}: it holds no files with types")
    return PackageFiles(path.name, files)


def _members(capture: Capture) -> Iterator[Capture]:
    """Yield the files in an archive, which may be compressed; what is not packed is yielded as it is."""
    inside = unwrap(capture)
    if inside is None:
        yield capture
        return
    for one in inside:
        if isinstance(one, Capture):
            yield from _members(one)


def _folder(name: str, path: Path) -> PackageFiles:
    try:
        files = [file for file in path.rglob("*") if file.name.endswith(_SUFFIXES) and file.is_file()]
    except OSError as error:  # a folder in it is gone meanwhile, or may not be read
        raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from error
    return PackageFiles(name, {file.relative_to(path).as_posix(): file for file in files})


def _name_with_version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


def _without_first_folder(name: str) -> str:
    """Return the path without its first folder, which holds the whole package."""
    return "/".join(PurePosixPath(name).parts[1:])
