"""What a run left out, in few words: the reason and how many files; by name where it is a few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from isogloss.cli.files import IGNORED
from isogloss.validator.exchange import Skipped
from isogloss.validator.quoting import count_of, printable, without_numbers

__all__ = ["Reason", "is_unread", "reasons"]

_FEW = 3
_OTHER = "no Chat Completions traffic"
_OTHERS = ("not ", "empty", "its `", "the answer is ", "arrays in arrays")
"""How the reasons begin that say of what is held that it is something else."""

_UNREAD = ("cannot be ", "damaged ")


class Reason(NamedTuple):
    """Why something was left out: in few words, with everything that was left out for it.

    ``whole`` says whether these are whole files in which nothing was checked.
    """

    words: str
    skipped: Sequence[Skipped]
    whole: bool

    @property
    def summary(self) -> str:
        """The reason with how much was left out for it."""
        files = len({one.file for one in self.skipped})
        count = files if self.whole else len(self.skipped)
        what = _count(files, "file") if self.whole else f"{_count(count, 'part')} of {_count(files, 'file')}"
        if self.words == _OTHER:
            return f"{what} hold{'s' if count == 1 else ''} {_OTHER}"
        if self.words == IGNORED:
            return f"{what} or folders left out: {IGNORED} (--no-respect-gitignore reads them)"
        return f"{what} left out: {printable(self.words)}"

    @property
    def by_name(self) -> list[str]:
        """Each file that was left out, with its reason."""
        counts = Counter((one.file, one.reason) for one in self.skipped)
        return [
            f"{printable(file)}: {printable(reason)}" + (f" (×{count})" if count > 1 else "")
            for (file, reason), count in counts.items()
        ]

    @property
    def few(self) -> bool:
        """Whether the report may name each of them."""
        return len(self.skipped) <= _FEW


def reasons(skipped: Iterable[Skipped], checked: Mapping[str, int]) -> Iterator[Reason]:
    """Yield the reasons in their order. Reasons that differ only in a detail are joined.

    Files with nothing to check are kept apart from parts of files that were checked.
    """
    by: dict[tuple[str, bool], list[Skipped]] = {}
    for one in skipped:
        words = _OTHER if one.reason.startswith(_OTHERS) else without_numbers(one.reason.partition(":")[0])
        by.setdefault((words, not checked.get(one.file)), []).append(one)
    for (words, whole), found in by.items():
        found_reasons = {one.reason for one in found}
        yield Reason(found_reasons.pop() if len(found_reasons) == 1 and words != _OTHER else words, found, whole)


def is_unread(skipped: Skipped) -> bool:
    """Return whether something could not be read, or not to its end.

    If it was read and is only something else, the result is false.
    """
    return skipped.reason.startswith(_UNREAD)


def _count(count: int, unit: str) -> str:
    return count_of(count, unit).replace(str(count), f"{count:,}", 1)
