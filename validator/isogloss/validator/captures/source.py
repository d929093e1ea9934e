"""A capture file as the formats read it: its head to recognise it by, then the whole or line by line, with secrets masked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import BinaryIO

from isogloss.validator.decode import Decoded, decode
from isogloss.validator.exchange import Kind
from isogloss.validator.secrets import mask
from isogloss.validator.text import Text

__all__ = ["Capture", "TooLarge"]

_HEAD = 1 << 16
_BLOCK = 1 << 20
LARGEST_DOCUMENT = 1 << 29
"""Bytes of the largest capture that is read as one document, and of the longest line of one that is read by lines."""


class TooLarge(ValueError):
    """A document or line is larger than what is read at once."""


class Capture:
    """A readable binary stream and the name it goes by in findings. It is read once, from the front; it need not be seekable.

    ``kind`` is what the user says the payloads are; ``None`` leaves it to their content.
    """

    def __init__(self, stream: BinaryIO, name: str, *, kind: Kind | None = None) -> None:
        self.name = name
        self.kind = kind
        self._stream = stream
        self.head = stream.read(_HEAD)
        self.whole_head = len(self.head) < _HEAD
        """Whether the head is all there is."""

    @cached_property
    def text(self) -> Text:
        """The whole capture. Raises :class:`TooLarge`."""
        rest = b"" if self.whole_head else self._stream.read(LARGEST_DOCUMENT + 1)
        if len(rest) > LARGEST_DOCUMENT:
            raise TooLarge(f"larger than {LARGEST_DOCUMENT >> 20} MiB, which only line-by-line formats (JSONL) may be")
        return Text(mask(self.head + rest))

    @cached_property
    def document(self) -> Decoded:
        """The whole capture decoded as one JSON document."""
        return decode(self.text.data)

    def lines(self) -> Iterator[Text]:
        """The lines of the capture that are not blank, each with its place, without its end. Raises :class:`TooLarge`."""
        number = 0
        parts = [self.head]  # of the line that is not complete yet
        size = len(self.head)
        more = not self.whole_head
        while size or more:
            block = self._stream.read(_BLOCK) if more else b""
            more = bool(block)
            parts.append(block)
            size += len(block)
            if more and b"\n" not in block and b"\n" not in parts[0]:
                if size > LARGEST_DOCUMENT:
                    raise TooLarge(f"line {number + 1} is longer than {LARGEST_DOCUMENT >> 20} MiB")
                continue
            pending = b"".join(parts)
            cut = pending.rfind(b"\n") + 1 if more else len(pending)
            lines = mask(pending[:cut]).split(b"\n")
            if more:
                lines.pop()  # what follows the last line end is no line yet
            for line in lines:
                number += 1
                if line and not line.isspace():
                    yield Text(line, line=number)
            parts = [pending[cut:]]
            size = len(pending) - cut

    def unrecognised(self) -> str:
        """Why no format reads the capture, in words for a reader."""
        if not self.head.strip():
            return "empty"
        if b"\0" in self.head[:1024]:
            return "not text"
        return "not a capture: no input format recognises it"
