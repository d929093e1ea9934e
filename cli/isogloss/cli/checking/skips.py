"""Limit how many skipped rows of a table are named if several processes read it: as many as with one process."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.cli.reading.jobs import Share
from isogloss.validator.captures import MOST_SKIPPED, skipped_rest
from isogloss.validator.exchange import Skipped, count_skipped

__all__ = ["Skips"]


class Skips:
    """Counts what is skipped in the shares of a file. The shares come in order, one file after the other."""

    def __init__(self) -> None:
        self._count = 0
        self._whole_file: set[Skipped] = set()

    def to_report(self, share: Share, skipped: Sequence[Skipped]) -> list[Skipped]:
        """Return those skipped parts of a share that are to be named.

        A reason why the whole file cannot be read is named only once. At most ``MOST_SKIPPED`` parts of a file are
        named. If there are more, the last share of the file adds an entry with their number.
        """
        if not share.share:
            self._count, self._whole_file = 0, set()
        new = [one for one in skipped if one.number is not None or one not in self._whole_file]
        self._whole_file.update(one for one in new if one.number is None)
        named = new[: max(0, MOST_SKIPPED - self._count)]
        self._count += count_skipped(new)
        if share.share == share.shares - 1 and self._count > MOST_SKIPPED:
            named.append(skipped_rest(skipped[-1].file if skipped else share.path, self._count - MOST_SKIPPED))
        return named
