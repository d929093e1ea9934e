"""Decode the content encodings of answers within limits: a small body may decode to a huge one."""

from __future__ import annotations

import re

from isogloss.validator.captures.limits import Budget, TooLarge
from isogloss.validator.captures.wrapping.compression import Damaged, compressed_with, unpack_body
from isogloss.validator.http_faults import NOT_SAID
from isogloss.validator.quoting import printable

__all__ = ["Undecodable", "decode_body"]

_NAMES = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
_OTHERS = frozenset({"br", "zstd", "compress", "x-compress"})
"""Other encodings, which clients undo or refuse."""
_CONTROL = re.compile(r"[^\t\n\r -\U0010ffff]")


class Undecodable(Exception):
    """No client can decode the body. The message says why: ``it is …``, or ``it ends …``."""


def decode_body(body: bytes, encoding: str, largest: int, *, whole: bool) -> bytes:
    """Decode the content encoding of a body, which may be ``gzip`` or ``deflate``.

    A body that is not ``whole`` is decoded as far as possible. A name that is no encoding, such as that of a character
    set, is ignored if the body is text: clients ignore it, too.

    Raises :class:`Undecodable` if the body does not have the encoding that it names, if it has one and names none, or
    if it has one that was not requested. Raises :class:`~isogloss.validator.captures.limits.TooLarge` if it is larger
    than ``largest``, decompressed.
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    if not encoding and (found := compressed_with(body)) is not None:
        raise Undecodable(NOT_SAID.format(found))
    for name in reversed(names):
        if name in _NAMES:
            body = _unpack(body, _NAMES[name], largest, whole=whole)
        elif name not in ("", "identity") and (name in _OTHERS or not _is_text(body)):
            raise Undecodable(f"it is encoded as {printable(name)[:40]}, which was not asked for")
    return body


def _is_text(body: bytes) -> bool:
    try:
        return not _CONTROL.search(body.decode())
    except UnicodeDecodeError:
        return False


def _unpack(body: bytes, name: str, largest: int, *, whole: bool) -> bytes:
    budget = Budget()
    budget.read = len(body)
    try:
        return unpack_body(body, name, budget, largest, whole=whole)
    except Damaged as error:
        raise Undecodable(error.fault) from error
    except TooLarge as error:
        raise TooLarge(f"the answer is larger than {largest >> 20} MiB, decompressed") from error
