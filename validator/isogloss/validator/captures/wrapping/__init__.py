"""Unwrap captures from compression, archives, UTF-16 and JSON text sequences. Nothing is written to disk."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from isogloss.validator.captures.capture import Blocks, Capture
from isogloss.validator.captures.limits import Unreadable
from isogloss.validator.captures.wrapping.compression import MAGICS, compressed_with, unpack
from isogloss.validator.exchange import Cause, Skipped, Why

__all__ = ["unwrap"]

_DEEPEST = 4
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ASCII = rb"[\t\n\r -~]"
_UNREAD_TEXT = b"|".join(  # the beginning of a text in UTF-32, or in UTF-16 without a mark that says so
    rb"(?:%b%b%b){4}" % (zeros, _ASCII, others)
    for zeros, others in [(b"", b"\\0"), (b"\\0", b""), (b"", b"\\0{3}"), (b"(?:\\0\\0\xfe\xff)?\\0{3}", b"")]
)
_UNSUPPORTED = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "RAR",
    b"PK\x07\x08": "split zip",
}
_RECORD_SEPARATOR = b"\x1e"
"""What stands before each text of a JSON text sequence (RFC 7464), as ``jq --seq`` writes it."""
_MAGICS = (*MAGICS, b"PK\x03\x04", b"PK\x05\x06", *_UTF_16, *_UNSUPPORTED, _RECORD_SEPARATOR)
"""How files in wrappings begin. Tar archives have no fixed beginning."""


def unwrap(capture: Capture) -> Iterator[Capture | Skipped] | None:
    """Return the captures inside a capture, to be read one by one, or ``None`` if nothing is wrapped around it.

    Raises :class:`Unreadable` here and while the result is iterated.
    """
    head = capture.head
    if b"\0" in head[:4] and re.match(_UNREAD_TEXT, head):
        raise Unreadable("text in UTF-32, or in UTF-16 without a byte order mark, which is not read: save it as UTF-8")
    is_tar = head[257:262] == b"ustar"
    if not is_tar and not head.startswith(_MAGICS):
        return None
    compression = compressed_with(head)
    for magic, name in _UNSUPPORTED.items():
        if head.startswith(magic):
            raise Unreadable(f"a {name} file, which is not read")
    if capture.depth >= _DEEPEST:
        raise Unreadable(f"compressed files nested more than {_DEEPEST} deep")
    if compression is not None:
        return _inner(capture, unpack(capture.blocks(), compression, capture.budget, whole=True))
    if head.startswith(_UTF_16):
        return _inner(capture, _utf_8(capture))
    if head.startswith(_RECORD_SEPARATOR):
        return _inner(capture, (block.replace(_RECORD_SEPARATOR, b" ") for block in capture.blocks()))
    from isogloss.validator.captures.wrapping import archives

    return _members(capture, archives.tar_members(capture) if is_tar else archives.zip_members(capture))


def _members(capture: Capture, members: Iterator[Capture | Skipped]) -> Iterator[Capture | Skipped]:
    first = next(members, None)
    yield Skipped(file=capture.name, why=Why("an archive without files", Cause.OTHER)) if first is None else first
    yield from members


def _inner(capture: Capture, blocks: Iterable[bytes]) -> Iterator[Capture | Skipped]:
    yield capture.inner(Blocks(blocks))


def _utf_8(capture: Capture) -> Iterator[bytes]:
    """Yield a capture in UTF-16 as UTF-8: PowerShell writes output in UTF-16. Lines and columns stay the same."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for block in capture.blocks():
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()
