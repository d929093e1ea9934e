"""Read the files in zip and tar archives, one after the other. Their names are used only in findings."""

from __future__ import annotations

import io
import posixpath
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from functools import partial
from typing import BinaryIO, TypeVar, cast

from isogloss.validator.captures.attachments import ARCHIVES, attachment_names, is_body_name
from isogloss.validator.captures.capture import Blocks, Capture, Readable, read_fully
from isogloss.validator.captures.limits import LARGEST_DOCUMENT, MOST_MEMBERS, Budget, TooLarge, Unreadable
from isogloss.validator.captures.wrapping.compression import unpack
from isogloss.validator.exchange import Skipped, Why
from isogloss.validator.secrets import mask_text

__all__ = ["tar_members", "zip_members"]

_T = TypeVar("_T")
_LARGEST_HEADER = 1 << 24
_LARGEST_DIRECTORY = 1 << 26
_BLOCK = 1 << 20
_METHODS = {
    1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "lzma", 18: "terse", 19: "lz77", 20: "zstd",
    93: "zstd", 95: "xz", 97: "wavpack", 98: "ppmd",
}  # fmt: skip
"""Methods to compress a member (APPNOTE.TXT 6.3.10, 4.4.5). zipfile itself reads the methods 0 and 8."""

_IS_ENCRYPTED = 1
"""The flag of a member that can be read only with a password."""

_HAS_END_MARK = 2
"""The flag of a member whose LZMA data end with an end mark."""

_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, struct.error, ValueError, NotImplementedError,
            RuntimeError, OverflowError)  # fmt: skip
"""What both modules raise for damaged archives, and zipfile for unsupported methods, passwords and sizes."""


def zip_members(capture: Capture) -> Iterator[Capture | Skipped]:
    """Yield the files in a zip archive. Raises :class:`Unreadable`.

    Bodies that an HTTP Archive names are left out, since they are read with this HTTP Archive.
    """
    file = _Directory(capture.file() or _whole(capture))
    archive = _guard(lambda: zipfile.ZipFile(cast("BinaryIO", file)))
    file.done()
    attached_bodies = _bodies(capture, archive)
    for info in archive.infolist():
        capture.budget.count()
        name = _name(capture, info.filename)
        if info.filename.endswith("/") or info.filename in attached_bodies:
            continue
        try:
            stream = _member(capture, archive, info)
            yield capture.inner(stream, name, partial(_beside, capture, archive, posixpath.dirname(info.filename)))
        except TooLarge:
            raise
        except Unreadable as error:
            yield error.skipped(name)


def _member(capture: Capture, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Readable:
    if info.flag_bits & _IS_ENCRYPTED:
        raise Unreadable("in the archive, encrypted with a password")
    if info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return _Member(_guard(lambda: archive.open(info)), capture.budget, max(info.compress_size, 1))
    method = _METHODS.get(info.compress_type, f"method {info.compress_type}")
    if method not in ("bzip2", "lzma", "zstd", "xz"):
        raise Unreadable(f"in the archive, compressed with {method}, which is not read")
    # Read as stored: of these methods, zipfile unpacks only bzip2 and LZMA, and LZMA without a limit of memory.
    packed = copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    del packed.CRC
    stream = _Member(_guard(lambda: archive.open(packed)))
    blocks = iter(lambda: stream.read(_BLOCK), b"")
    return Blocks(
        _verify(unpack(_standalone_lzma(blocks, info) if method == "lzma" else blocks, method, capture.budget), info)
    )


def _standalone_lzma(blocks: Iterator[bytes], info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield LZMA data from a zip with the header that they have outside of a zip.

    In a zip, the header is: version, size of properties, properties.
    """
    first = next(blocks, b"")
    size = b"\xff" * 8 if info.flag_bits & _HAS_END_MARK else struct.pack("<Q", info.file_size)
    yield first[4:9] + size + first[9:]
    yield from blocks


def _verify(blocks: Iterator[bytes], info: zipfile.ZipInfo) -> Iterator[bytes]:
    checksum = 0
    for block in blocks:
        checksum = zlib.crc32(block, checksum)
        yield block
    if checksum != info.CRC:
        raise Unreadable("a damaged archive: what is unpacked is not what was packed")


def _beside(capture: Capture, archive: zipfile.ZipFile, folder: str, name: str) -> bytes | None:
    info = archive.NameToInfo.get(posixpath.normpath(posixpath.join(folder, name)))
    return None if info is None else read_fully(_member(capture, archive, info), LARGEST_DOCUMENT + 1)


def _bodies(capture: Capture, archive: zipfile.ZipFile) -> set[str]:
    """Return the names of the members that hold the bodies of HTTP Archives, or of a trace, in the same zip."""
    members = archive.NameToInfo
    if not any(is_body_name(posixpath.basename(name)) for name in members):
        return set()
    found: set[str] = set()
    for name, info in members.items():
        if name.endswith(ARCHIVES):
            with suppress(Unreadable):  # reported when this file is read itself
                blocks = capture.inner(_member(capture, archive, info), name).blocks()
                found.update(posixpath.join(posixpath.dirname(name), body) for body in attachment_names(blocks))
    return {name for name in found if is_body_name(posixpath.basename(name))}


def tar_members(capture: Capture) -> Iterator[Capture | Skipped]:
    """Yield the files in a tar archive. Raises :class:`Unreadable`."""
    blocks = _Metered(capture)
    fileobj = cast("BinaryIO", blocks)
    archive = _guard(lambda: tarfile.open(fileobj=fileobj, mode="r|"))  # noqa: SIM115 - closes nothing
    unread = 0
    while (info := _guard(lambda unread=unread: _next(archive, blocks, unread))) is not None:  # type: ignore[misc]
        capture.budget.count()
        unread = info.size
        name = _name(capture, info.name)
        if info.isdir():
            continue
        plain = info.isreg() and not info.issparse()
        member = _guard(lambda info=info: archive.extractfile(info)) if plain else None  # type: ignore[misc]
        if member is None:
            yield Skipped(file=name, why=Why("in the archive, neither a file nor a folder"))
            continue
        yield capture.inner(_Member(member), name)


def _next(archive: tarfile.TarFile, blocks: _Metered, unread: int) -> tarfile.TarInfo | None:
    """Return the next header, or ``None`` at the end; before it come at most `unread` bytes of the previous file."""
    blocks.left = _LARGEST_HEADER + unread
    info = archive.next()
    archive.members = []  # type: ignore[attr-defined]  # else it would keep every header of the archive
    blocks.left = None
    return info


def _name(capture: Capture, member: str) -> str:
    """Return the name of a member in findings, with keys masked, as that of its archive is."""
    return f"{capture.name}!/{mask_text(member)}"


def _guard(act: Callable[[], _T]) -> _T:
    try:
        return act()
    except Unreadable:
        raise
    except _DAMAGED as error:
        raise Unreadable(f"a damaged archive, or one of a kind that is not read: {error}") from error


class _Member:
    """A file in an archive, as a stream. `packed` is its size in the archive, if it is compressed there."""

    def __init__(self, stream: Readable, budget: Budget | None = None, packed: int = 0) -> None:
        self._stream = stream
        self._budget = budget
        self._packed = packed
        self._size = 0

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes. Raises :class:`Unreadable`."""
        block = _guard(lambda: self._stream.read(size))
        self._size += len(block)
        if self._budget is not None:
            self._budget.spend(len(block), self._size, self._packed)
        return block


class _Metered:
    """A capture as the stream that tarfile reads. While tarfile looks for a header, it may read `left` bytes."""

    def __init__(self, capture: Capture) -> None:
        self._stream = Blocks(capture.blocks())
        self.left: int | None = None

    def read(self, size: int) -> bytes:
        """Read `size` bytes, or fewer at the end. Raises :class:`TooLarge`."""
        if self.left is not None:
            self.left -= size
            if self.left < 0:
                raise TooLarge("a tar header that is too large")
        return read_fully(self._stream, size)


class _Directory:
    """A zip archive as the file that zipfile reads. A directory that is too large is refused."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left: int | None = _LARGEST_DIRECTORY
        self._entries = 0
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes, by default the rest. Raises :class:`TooLarge`."""
        if self._left is None:
            return self._file.read(size)
        data = self._file.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(data)
        self._entries += data.count(b"PK\x01\x02")  # each makes an object of some 600 bytes
        if self._left < 0 or self._entries > 2 * MOST_MEMBERS:
            raise TooLarge(f"an archive of more than {MOST_MEMBERS:,} files")
        return data

    def done(self) -> None:
        """Lift the limit: the directory is read, and from now on members are read."""
        self._left = None


def _whole(capture: Capture) -> BinaryIO:
    """Read the archive into memory: its directory stands at its end, and not every stream can seek."""
    data = io.BytesIO()
    for block in capture.blocks():
        data.write(block)
        if data.tell() > LARGEST_DOCUMENT:
            raise TooLarge(f"an archive larger than {LARGEST_DOCUMENT >> 20} MiB, which only a file by itself may be")
    return data
