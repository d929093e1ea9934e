"""Decompress data block by block and within a budget: files, members of archives, and bodies recorded as sent.

``br`` (brotli) and ``zstd`` need the extra ``compression``, since the standard library has neither of them.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Protocol, cast

from isogloss.validator.captures.limits import LARGEST_DOCUMENT, Budget, TooLarge, Unreadable
from isogloss.validator.http_faults import CUT_OFF, NOT_AS_SAID, NOT_SAID

__all__ = ["MAGICS", "Cut", "Damaged", "compressed_with", "decompress_body", "encoding_fault", "unpack", "unpack_body"]

_BLOCK = 1 << 20
_PIECE = 1 << 14
"""How many bytes are passed on at once behind the first member. A decompressor copies what it does not use of them, and
there may be a member in every twenty bytes.
"""
_MOST_MEMORY = (1 << 27) + (1 << 20)
"""How many bytes of memory unpacking LZMA may take: the largest dictionary, and a little more."""

_MAGIC = {b"\x1f\x8b\x08": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\0": "xz"} | {
    b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)
}
MAGICS = tuple(_MAGIC)
"""How compressed data begin. Brotli and deflate have no fixed beginning."""
_LONGEST_MAGIC = max(map(len, MAGICS))
_REPEATED = frozenset(_MAGIC.values())
"""Compressions whose files may hold several members or frames."""

_NAMES = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "br": "br", "zstd": "zstd"}


class Damaged(Unreadable):
    """Raised for compressed data that no program unpacks to its end. ``fault`` says what is wrong with such a body."""

    fault = NOT_AS_SAID


class Cut(Damaged):
    """Raised for compressed data whose end is missing."""

    fault = CUT_OFF


class _Decompressor(Protocol):
    """One member or frame, in the manner of :class:`bz2.BZ2Decompressor`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Zlib:
    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        block = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(block) < max_length
        return block

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data


class _Brotli:
    unused_data = b""

    def __init__(self) -> None:
        self._inner: Any = import_module("brotli").Decompressor()

    def decompress(self, data: bytes, max_length: int) -> bytes:
        block: bytes = self._inner.process(data, output_buffer_limit=max_length)
        return block

    @property
    def eof(self) -> bool:
        return bool(self._inner.is_finished())

    @property
    def needs_input(self) -> bool:
        return bool(self._inner.can_accept_more_data())


def _deflate(start: bytes) -> _Decompressor:
    # "deflate" means the zlib format, but some servers send it without the zlib header (RFC 9110, section 8.4.1.2).
    return _Zlib(15) if start[0] & 15 == 8 and not int.from_bytes(start[:2]) % 31 else _Zlib(-15)


def _zstd_module() -> Any:
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _zstd(_start: bytes) -> _Decompressor:
    zstd = _zstd_module()
    decompressor: _Decompressor = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 27})
    return decompressor


def _lzma(container: str) -> _Decompressor:
    lzma = import_module("lzma")
    decompressor: _Decompressor = lzma.LZMADecompressor(getattr(lzma, container), memlimit=_MOST_MEMORY)
    return decompressor


_OPEN: dict[str, Callable[[bytes], _Decompressor]] = {
    "gzip": lambda _start: _Zlib(31),
    "deflate": _deflate,
    "br": lambda _start: _Brotli(),
    "zstd": _zstd,
    "bzip2": lambda _start: cast("_Decompressor", import_module("bz2").BZ2Decompressor()),
    "xz": lambda _start: _lzma("FORMAT_XZ"),
    "lzma": lambda _start: _lzma("FORMAT_ALONE"),
}


def _error(name: str) -> type[Exception]:
    """Return the exception class that a decompressor raises for damaged data."""
    if name == "br":
        error = import_module("brotli").error
    elif name == "zstd":
        error = _zstd_module().ZstdError
    elif name in ("xz", "lzma"):
        error = import_module("lzma").LZMAError
    else:
        error = OSError if name == "bzip2" else zlib.error
    return cast("type[Exception]", error)


def compressed_with(data: bytes) -> str | None:
    """Return the compression that bytes begin like, one of ``MAGICS``, or ``None``."""
    if not data.startswith(MAGICS):
        return None
    return next(name for magic, name in _MAGIC.items() if data.startswith(magic))


def unpack(source: Iterable[bytes], name: str, budget: Budget, *, whole: bool = False) -> Iterator[bytes]:
    """Yield what blocks of compressed bytes unpack to, in blocks of at most 1 MiB.

    The end of the data may be missing, unless it has to be ``whole``. Raises :class:`TooLarge` beyond the budget or if
    unpacking takes too much memory. Raises :class:`Damaged`, and :class:`Unreadable` for a compression that needs the
    extra ``compression`` if this is not installed.
    """
    packed = size = 0
    decompressor: _Decompressor | None = None
    is_first, begun = True, b""  # begun: the first bytes of a member, too few to know one by them
    for block in source:
        packed += len(block)
        data, begun, position = begun + block, b"", 0
        while position < len(data) or (decompressor and not decompressor.eof and not decompressor.needs_input):
            end = len(data) if is_first else min(position + _PIECE, len(data))
            piece = data[position:end]
            try:
                if decompressor is None or decompressor.eof:
                    if not is_first and len(piece) < _LONGEST_MAGIC:
                        begun = piece
                        break
                    if not is_first and compressed_with(piece) != name:
                        return  # padding after the last member
                    decompressor = _OPEN[name](piece)
                unpacked = decompressor.decompress(piece, _BLOCK)
            except ImportError as error:
                raise Unreadable(f"compressed with {name}: pip install 'isogloss[compression]' reads it") from error
            except _error(name) as error:
                if "Memory usage limit" in str(error):
                    raise TooLarge(f"{name} data that takes more than {_MOST_MEMORY >> 20} MiB to unpack") from error
                raise Damaged(f"damaged {name} data after {size} bytes: {error}") from error
            position = end - len(decompressor.unused_data)
            is_first = is_first and not decompressor.eof
            size += len(unpacked)
            budget.spend(len(unpacked), size, packed)
            if unpacked:
                yield unpacked
            if decompressor.eof and name not in _REPEATED:
                return
    if whole and decompressor is not None and not decompressor.eof:
        raise Cut(f"{name} data that ends too early")


def decompress_body(data: bytes, encoding: str | None, budget: Budget, *, whole: bool = False) -> bytes:
    """Return a body without its content encodings. Raises :class:`Unreadable`.

    The end of the body may be missing, unless it has to be ``whole``. ``encoding`` is the value of the header. Some
    recorders decode bodies and keep the header, and others do the opposite. So the bytes decide if they can, and the
    header decides only if they are no text.
    """
    names = [_NAMES.get(coding.strip().lower()) for coding in (encoding or "").split(",")]
    for name in [*reversed(names), None]:
        name = compressed_with(data) or (name if name in ("br", "deflate") and not _is_text(data) else None)
        if name is not None:
            data = unpack_body(data, name, budget, LARGEST_DOCUMENT, whole=whole)
    return data


def unpack_body(data: bytes, name: str, budget: Budget, largest: int, *, whole: bool) -> bytes:
    """Return what a body unpacks to. Raises what :func:`unpack` raises, and :class:`TooLarge` beyond ``largest``."""
    parts: list[bytes] = []
    size = 0
    for block in unpack([data], name, budget, whole=whole):
        parts.append(block)
        size += len(block)
        if size > largest:
            raise TooLarge(f"a body unpacks to more than {largest >> 20} MiB")
    return b"".join(parts)


def encoding_fault(data: bytes, encoding: str | None) -> str | None:
    """Return what is wrong with the content encoding of a body as it was sent, by its first bytes.

    Return ``None`` if they are as the encoding says, or too few to tell.
    """
    if len(data) < _LONGEST_MAGIC:
        return None
    names = [one for coding in (encoding or "").split(",") if (one := _NAMES.get(coding.strip().lower())) is not None]
    found = compressed_with(data)
    if not names:
        return None if found is None else NOT_SAID.format(found)
    has_magic = names[-1] in _REPEATED
    is_as_said = found == names[-1] if has_magic else not _is_text(data)
    return None if is_as_said else NOT_AS_SAID


def _is_text(data: bytes) -> bool:
    start = data[:512]
    try:
        start.decode()
    except UnicodeDecodeError as error:
        if error.start < len(start) - 3:
            return False
    return not any(byte < 32 and byte not in b"\t\n\r" for byte in start)
