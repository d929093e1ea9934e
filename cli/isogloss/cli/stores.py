"""Read files of object stores (``s3://…``, ``gs://…``, ``abfss://…``, ``hdfs://…``) through pyarrow, as local ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, BinaryIO, cast

import click

__all__ = ["is_stored", "opened", "size", "used", "walk"]

_SCHEMES = ("s3://", "gs://", "gcs://", "abfs://", "abfss://", "hdfs://", "viewfs://")
"""What pyarrow has a filesystem for: https://arrow.apache.org/docs/python/filesystems.html, read 2026-11."""
_HIDDEN = (".", "_")
"""How names begin that are no data, such as ``_SUCCESS`` and ``_delta_log``: Hive and Spark leave them out, too."""

_sizes: dict[str, int] = {}
"""Bytes of the files that were listed, so that the size of none is fetched twice."""


def is_stored(path: str) -> bool:
    """Return whether a path is the URL of a file or folder in an object store."""
    return path.startswith(_SCHEMES)


def opened(path: str, *, buffered: bool = True) -> BinaryIO:
    """Open a file of a store, or of this machine, for reading. Raises ``OSError``."""
    if not is_stored(path):
        return open(path, "rb", buffering=-1 if buffered else 0)
    system, inside = _located(path)
    return cast("BinaryIO", system.open_input_file(inside))


def size(path: str) -> int:
    """Return the size of a file of a store in bytes, or 0 if the store does not give it. Raises ``OSError``."""
    if path not in _sizes:
        system, inside = _located(path)
        _sizes[path] = system.get_file_info(inside).size or 0
    return _sizes[path]


def walk(url: str) -> Iterator[str]:
    """Yield the files below a folder of a store, sorted by path, or the file itself.

    Files and folders whose names begin with a dot or an underscore are left out. Raises ``OSError`` if the file or
    folder does not exist.
    """
    from pyarrow.fs import FileSelector, FileType

    system, inside = _located(url)
    info = system.get_file_info(inside)
    if info.type == FileType.NotFound:
        raise FileNotFoundError("is not there")
    if info.type == FileType.File:
        _sizes[url] = info.size or 0
        yield url
        return
    base, question, options = url.partition("?")
    for found in sorted(system.get_file_info(FileSelector(inside, recursive=True)), key=lambda one: one.path):
        name = found.path[len(inside) :].lstrip("/")
        if found.type == FileType.File and not any(part.startswith(_HIDDEN) for part in name.split("/")):
            one = f"{base.rstrip('/')}/{name}{question}{options}"
            _sizes[one] = found.size or 0
            yield one


def _located(url: str) -> tuple[Any, str]:
    base, question, options = url.partition("?")
    scheme, _, rest = base.partition("://")
    store, _, path = rest.partition("/")
    system, above = _system(f"{scheme}://{store}/{question}{options}")
    return system, f"{above.rstrip('/')}/{path.rstrip('/')}" if path else above


def used() -> bool:
    """Return whether a store was opened in this process. If so, the process has other threads since then."""
    return _system.cache_info().currsize > 0


@cache
def _system(root: str) -> tuple[Any, str]:
    """Return the store at a URL, and the path of its root there."""
    try:
        from pyarrow.fs import FileSystem
    except ModuleNotFoundError as error:
        raise click.UsageError("reading object stores needs pyarrow: pip install 'isogloss[arrow]'") from error
    try:
        system, path = FileSystem.from_uri(root)
    except ValueError as error:  # pyarrow.ArrowInvalid: a URL that it cannot read
        raise click.UsageError(f"no store is known at this URL: {error}") from error
    return system, path
