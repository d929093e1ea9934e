"""Limit how many skipped rows of a table are named if several processes read it: as many as with one process."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.cli.reading.jobs import Share
from isogloss.validator.captures import NamedSkips
from isogloss.validator.exchange import Skipped
from isogloss.validator.secrets import mask_text

__all__ = ["Skips"]


class Skips:
    """Counts what is skipped in the shares of a file. The shares come in order, one file after the other."""

    def __init__(self) -> None:
        self._named = NamedSkips()
        self._whole_file: set[Skipped] = set()

    def to_report(self, share: Share, skipped: Sequence[Skipped]) -> list[Skipped]:
        """Return those skipped parts of a share that are to be named.

        A reason why the whole file cannot be read is named only once. The last share of the file adds an entry for
        those that are not named.
        """
        if not share.share:
            self._named, self._whole_file = NamedSkips(), set()
        new = [skip for skip in skipped if skip.number is not None or skip not in self._whole_file]
        self._whole_file.update(one for one in new if one.number is None)
        named = [one for one in new if self._named.names(one)]
        if share.share == share.shares - 1:
            named += self._named.rest(mask_text(share.path))
        return named
