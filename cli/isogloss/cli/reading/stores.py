"""Read files of object stores (``s3://…``, ``gs://…``, ``abfss://…``, ``hdfs://…``) through pyarrow, as if local.

If a store does not answer, pyarrow asks it again, for some kinds of stores during many minutes. So the first answer of
a store has a time limit. Another thread makes the calls, and this one waits for it, so that Ctrl-C and other signals
end the process at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

import click

from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_text

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["is_stored", "open_file", "size", "walk", "was_used"]

_SCHEMES = ("s3://", "gs://", "gcs://", "abfs://", "abfss://", "hdfs://", "viewfs://")
"""The schemes that pyarrow has filesystems for: https://arrow.apache.org/docs/python/filesystems.html, read 2026-11."""
_HIDDEN_PREFIXES = (".", "_")
"""The first characters of names that hold no data, such as ``_SUCCESS`` and ``_delta_log``. Hive and Spark leave these
names out, too.
"""

FIRST_ANSWER_SECONDS = 30
"""How long a store may take to say whether a file or folder is there."""
_LONGEST_REASON = 300

_Result = TypeVar("_Result")

_sizes: dict[str, int] = {}
"""The sizes of listed files in bytes, so that no size is fetched twice."""


def is_stored(path: str) -> bool:
    """Return whether a path is the URL of a file or folder in an object store."""
    return path.startswith(_SCHEMES)


def open_file(path: str, *, buffered: bool = True) -> BinaryIO:
    """Open a file of a store, or of this machine, for reading. Raises ``OSError``."""
    if not is_stored(path):
        return open(path, "rb", buffering=-1 if buffered else 0)
    filesystem, store_path = _locate(path)
    seconds = math.inf if path in _sizes else FIRST_ANSWER_SECONDS
    return cast("BinaryIO", _wait_for(filesystem.open_input_file, store_path, seconds))


def size(path: str) -> int:
    """Return the size of a file of a store in bytes, or 0 if the store does not give it. Raises ``OSError``."""
    if path not in _sizes:
        filesystem, store_path = _locate(path)
        _sizes[path] = _wait_for(filesystem.get_file_info, store_path).size or 0
    return _sizes[path]


def walk(url: str) -> Iterator[str]:
    """Yield the files below a folder of a store, sorted by path, or the file itself.

    Files and folders whose names begin with a dot or an underscore are left out. Raises ``OSError`` if the file or
    folder does not exist.
    """
    filesystem, store_path = _locate(url)
    from pyarrow.fs import FileSelector, FileType

    info = _wait_for(filesystem.get_file_info, store_path, FIRST_ANSWER_SECONDS)
    if info.type == FileType.NotFound:
        raise FileNotFoundError("is not there")
    if info.type == FileType.File:
        _sizes[url] = info.size or 0
        yield url
        return
    base, question, options = url.partition("?")
    entries = _wait_for(filesystem.get_file_info, FileSelector(store_path, recursive=True))
    for entry in sorted(entries, key=lambda one: one.path):
        name = entry.path[len(store_path) :].lstrip("/")
        if entry.type == FileType.File and not any(part.startswith(_HIDDEN_PREFIXES) for part in name.split("/")):
            file_url = f"{base.rstrip('/')}/{name}{question}{options}"
            _sizes[file_url] = entry.size or 0
            yield file_url


def _locate(url: str) -> tuple[Any, str]:
    base, question, options = url.partition("?")
    scheme, _, rest = base.partition("://")
    store, _, path = rest.partition("/")
    filesystem, root = _filesystem(f"{scheme}://{store}/{question}{options}")
    return filesystem, f"{root.rstrip('/')}/{path.rstrip('/')}" if path else root


def _wait_for(call: Callable[[Any], _Result], argument: object, seconds: float = math.inf) -> _Result:
    """Make a call in another thread. Return what it returns, or raise what it raises, with a short reason.

    Python does not notice a signal that comes just before it begins to wait, so it waits for a second at a time. After
    this many seconds, raise ``TimeoutError``.
    """
    from concurrent.futures import wait

    from pyarrow import ArrowException

    future = _thread().submit(call, argument)
    end = time.monotonic() + seconds
    while not wait([future], timeout=min(1, seconds)).done:
        if time.monotonic() >= end:
            _thread.cache_clear()  # this one is still asking: the next store gets another
            raise TimeoutError(f"no answer within {seconds} seconds; is it reachable, and are its credentials set?")
    try:
        return future.result()
    except (FileNotFoundError, PermissionError, ValueError):
        raise
    except (OSError, ArrowException) as error:  # some reasons list all places that were tried
        reason = mask_text(printable(str(error).partition("\n")[0]))
        raise OSError(reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…") from error


@cache
def _thread() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1)


def was_used() -> bool:
    """Return whether a store was opened in this process. If so, the process has other threads since then."""
    return _filesystem.cache_info().currsize > 0


@cache
def _filesystem(root: str) -> tuple[Any, str]:
    """Return the store at a URL, and the path of its root there."""
    try:
        from pyarrow.fs import FileSystem
    except ModuleNotFoundError as error:
        raise click.UsageError("reading object stores needs pyarrow: pip install 'isogloss[arrow]'") from error
    try:
        filesystem, path = _wait_for(FileSystem.from_uri, root, FIRST_ANSWER_SECONDS)
    except ValueError as error:  # pyarrow.ArrowInvalid: a URL that it cannot read
        raise click.UsageError(f"no store is known at this URL: {error}") from error
    return filesystem, path
