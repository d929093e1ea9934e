"""The limits of what is read, and the errors about captures, or parts of them, that are not read."""

from __future__ import annotations

from isogloss.validator.exchange import Cause, Skipped, Why

__all__ = ["LARGEST_DOCUMENT", "MOST_MEMBERS", "MOST_SKIPPED", "Budget", "TooLarge", "Unreadable"]

LARGEST_DOCUMENT = 1 << 27
"""The largest size, in bytes, of a capture that is read as one document, and of a line of other captures."""
MOST_SKIPPED = 1000
"""How many parts that are not checked are reported one by one. The others are only counted."""
_MOST_UNPACKED = 1 << 33
MOST_MEMBERS = 100_000
"""How many files an archive may have, with the files of the archives in it."""

_RATIO = 300
_RATIO_FROM = 1 << 26


class Unreadable(ValueError):
    """Raised if a capture, or a part of it, cannot be read, or is none. The message says why, in words for a reader."""

    def __init__(self, why: str | Why) -> None:
        self.why = Why(why, Cause.UNREAD) if isinstance(why, str) else why
        super().__init__(self.why.words)

    def skipped(self, file: str, number: int | None = None) -> Skipped:
        """Return what is reported in place of the capture, or of the part with this number."""
        return Skipped(file=file, number=number, why=self.why)


class TooLarge(Unreadable):
    """Raised if a document, a line, or something that is packed is larger than the limit."""


class Budget:
    """The limit for all compressed parts of one file together, also if they are nested in each other.

    ``read`` counts the bytes that were read so far, from the file itself and from the files beside it. If something is
    unpacked in several steps, each step counts. So an archive of archives has the same limit as a simple archive.
    """

    def __init__(self) -> None:
        self.read = 0
        self._unpacked = 0
        self._members = 0

    def spend(self, unpacked: int, whole: int, packed: int) -> None:
        """Take `unpacked` bytes from the budget. So far, `packed` bytes of this part gave `whole` bytes.

        Raises :class:`TooLarge`.
        """
        self._unpacked += unpacked
        if self._unpacked > _MOST_UNPACKED:
            raise TooLarge(f"unpacks to more than {_MOST_UNPACKED >> 30} GiB")
        if max(whole, self._unpacked) > _RATIO_FROM and (
            whole > max(packed * _RATIO, _RATIO_FROM) or self._unpacked > self.read * _RATIO
        ):
            raise TooLarge(f"unpacks to more than {_RATIO} times its size")

    def count(self) -> None:
        """Count one more file of an archive. Raises :class:`TooLarge`."""
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise TooLarge(f"an archive of more than {MOST_MEMBERS:,} files")
