"""Decode the content encodings of answers within limits: a small body may decode to a huge one."""

from __future__ import annotations

import re
import zlib

from isogloss.validator.captures.wrapping.compression import compressed_with
from isogloss.validator.http_faults import NOT_AS_SAID, NOT_SAID
from isogloss.validator.quoting import printable

__all__ = ["TooLarge", "Undecodable", "decode_body"]

_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_RAW_DEFLATE = -zlib.MAX_WBITS
_MOST_MEMBERS = 64
_OTHERS = frozenset({"br", "zstd", "compress", "x-compress"})
"""Other encodings, which clients undo or refuse."""
_CONTROL = re.compile(r"[^\t\n\r -\U0010ffff]")


class Undecodable(Exception):
    """No client can decode the body. The message says why: ``it is …``, or ``it ends …``."""


class TooLarge(Exception):
    """The body is larger than the limit, decompressed."""


def decode_body(body: bytes, encoding: str, largest: int, *, whole: bool) -> bytes:
    """Decode the content encoding of a body, which may be ``gzip`` or ``deflate``.

    A body that is not ``whole`` is decoded as far as possible. A name that is no encoding, such as that of a character
    set, is ignored if the body is text, as clients do.

    Raises :class:`Undecodable` if the body does not fit its encoding, is encoded and does not say so, or has an
    encoding that was not requested, and :class:`TooLarge`.
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    if not encoding and (name := compressed_with(body)) is not None:
        raise Undecodable(NOT_SAID.format(name))
    for name in reversed(names):
        if name in ("gzip", "x-gzip", "deflate"):
            is_raw = name == "deflate" and not _has_zlib_header(body)
            body = _inflate(body, largest, _RAW_DEFLATE if is_raw else _GZIP_OR_ZLIB, whole=whole)
        elif name not in ("", "identity") and (name in _OTHERS or not _is_text(body)):
            raise Undecodable(f"it is encoded as {printable(name)[:40]}, which was not asked for")
    return body


def _is_text(body: bytes) -> bool:
    try:
        return not _CONTROL.search(body.decode())
    except UnicodeDecodeError:
        return False


def _has_zlib_header(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0


def _inflate(body: bytes, largest: int, window_bits: int, *, whole: bool) -> bytes:
    parts: list[bytes] = []
    size = 0
    while body:  # gzip may have several members; each copies the rest of the body, so they are counted
        stream = zlib.decompressobj(window_bits)
        try:
            parts.append(stream.decompress(body, largest + 1 - size))
        except zlib.error as error:
            raise Undecodable(NOT_AS_SAID) from error
        size += len(parts[-1])
        if size > largest or len(parts) > _MOST_MEMBERS:
            raise TooLarge(f"the answer is larger than {largest >> 20} MiB, decompressed")
        if not stream.eof and not whole:
            break
        if not stream.eof:
            raise Undecodable("it ends before its compressed data does")
        body = stream.unused_data
    return b"".join(parts)
