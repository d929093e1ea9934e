"""What a run left out, in few words: the reason and how many files; by name where it is a few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from isogloss.cli.files import IGNORED
from isogloss.validator.exchange import Skipped
from isogloss.validator.quoting import count_of, printable, without_numbers

__all__ = ["Reason", "reasons"]

_FEW = 3
_OTHER = "no Chat Completions traffic"
_OTHERS = ("not ", "empty", "its `", "the answer is ", "arrays in arrays")
"""How the reasons begin that say of what is held that it is something else."""


class Reason(NamedTuple):
    """Why something was left out: in few words, with everything that was left out for it."""

    words: str
    skipped: Sequence[Skipped]

    @property
    def told(self) -> str:
        """The reason with how much was left out for it."""
        files = len({one.file for one in self.skipped})
        parts = sum(one.number is not None for one in self.skipped)
        what = f"{parts:,} parts of {_files(files)}" if parts else _files(files)
        if self.words == _OTHER:
            return f"{what} hold{'s' if files == 1 and not parts else ''} {_OTHER}"
        hint = " (--no-respect-gitignore reads it)" if self.words == IGNORED else ""
        return f"{what} left out: {printable(self.words)}{hint}"

    @property
    def few(self) -> bool:
        """Whether each may be told by name."""
        return len(self.skipped) <= _FEW


def reasons(skipped: Iterable[Skipped]) -> Iterator[Reason]:
    """The reasons in their order, those that differ in a detail as one."""
    by: dict[tuple[str, bool], list[Skipped]] = {}
    for one in skipped:
        words = _OTHER if one.reason.startswith(_OTHERS) else without_numbers(one.reason.partition(":")[0])
        by.setdefault((words, one.number is None), []).append(one)
    for (words, _), found in by.items():
        told = {one.reason for one in found}
        yield Reason(told.pop() if len(told) == 1 and words != _OTHER else words, found)


def _files(count: int) -> str:
    return count_of(count, "file") if count < 1000 else f"{count:,} files"
