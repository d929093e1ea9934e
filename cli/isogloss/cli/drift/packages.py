"""Read the text files of a package: in a wheel, in the tarball of an npm package, in a folder, or installed."""

from __future__ import annotations

import importlib.util
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from isogloss.cli.configuration.named_files import read_named
from isogloss.cli.drift.described import UnreadableSource

__all__ = ["PackageFiles", "npm_package", "python_package"]

_SUFFIXES = (".py", ".d.ts")
_LARGEST_FILE = 16 * 2**20
"""The largest size of one file in bytes. The largest file of these packages has a tenth of this size."""


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
        return _wheel(path)
    if path.is_dir():
        return _folder(path.name, path)
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
    if path.is_dir():
        return _folder(path.name, path)
    files: dict[str, bytes | Path] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and member.name.endswith(_SUFFIXES) and member.size <= _LARGEST_FILE:
                    content = archive.extractfile(member)
                    files[_without_first_folder(member.name)] = content.read() if content else b""
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise UnreadableSource(f"{path} is not a tarball: {str(error).partition(chr(10))[0].rstrip(':')}") from error
    return PackageFiles(path.name, files)


def _wheel(path: Path) -> PackageFiles:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                entry.filename
                for entry in archive.infolist()
                if entry.filename.endswith(_SUFFIXES) and entry.file_size <= _LARGEST_FILE
            ]
            files: dict[str, bytes | Path] = {_without_first_folder(name): archive.read(name) for name in members}
    except (OSError, EOFError, NotImplementedError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        raise UnreadableSource(f"{path} is not a wheel: {error}") from error
    return PackageFiles(path.name, files)


def _folder(name: str, path: Path) -> PackageFiles:
    files = (file for file in path.rglob("*") if file.name.endswith(_SUFFIXES) and file.is_file())
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
