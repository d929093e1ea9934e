"""Sum up what a run skipped: each reason with the number of files, or with the names of the files if they are few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from isogloss.cli.configuration.paths import outermost
from isogloss.cli.process.output import say
from isogloss.cli.reading.unread import IGNORED
from isogloss.validator.exchange import Cause, Skipped, count_skipped
from isogloss.validator.quoting import count_of, printable, without_numbers

__all__ = [
    "NO_FILE", "Reason", "advice_on_skipped", "count_by_name", "reasons", "say_advice", "say_skipped", "skipped_lines",
]  # fmt: skip

NO_FILE = "next: name files, or folders with files in them: no file was found"
"""What to do if there was no file at all."""
_FEW = 3
_NO_TRAFFIC = "no Chat Completions traffic"
_OTHER_TRAFFIC = frozenset({Cause.NOTHING, Cause.OTHER, Cause.FAULTY})


class Reason(Struct, frozen=True):
    """A reason in a few words, with everything that was skipped for this reason.

    ``whole`` says whether these are whole files in which nothing was checked.
    """

    words: str
    skipped: Sequence[Skipped]
    whole: bool

    @property
    def summary(self) -> str:
        """The reason, with the number of files or parts that were skipped."""
        names = {skip.file for skip in self.skipped}
        files = len(names)
        count = files if self.whole else count_skipped(self.skipped)
        what = count_of(files, "file") if self.whole else f"{count_of(count, 'part')} of {count_of(files, 'file')}"
        if files > 1 and any(outermost(name) != name for name in names):
            what += " and members of archives"
        if self.words == _NO_TRAFFIC:
            return f"{what} hold{'s' if count == 1 else ''} {_NO_TRAFFIC}"
        if self.words == IGNORED:
            return f"{what} or folders: {IGNORED} (--no-respect-gitignore reads them)"
        return f"{what}: {printable(self.words)}"

    @property
    def by_name(self) -> list[str]:
        """Each file that was skipped, with its reason."""
        return [
            f"{printable(file)}: {printable(reason)}" + (f" (×{count:,})" if count > 1 else "")
            for (file, reason), count in count_by_name(self.skipped).items()
        ]

    @property
    def few(self) -> bool:
        """Whether the report may name each of them."""
        return len(self.skipped) <= _FEW


def count_by_name(skipped: Iterable[Skipped]) -> dict[tuple[str, str], int]:
    """Return how many parts of each file were skipped for each reason. One without a number names the count itself."""
    counts = Counter[tuple[str, str]]()
    for skip in skipped:
        counts[skip.file, skip.reason] += 1 if skip.number is None else skip.parts
    return counts


def reasons(skipped: Iterable[Skipped], checked: Mapping[str, int]) -> Iterator[Reason]:
    """Yield the reasons in their order. Reasons that differ only in a detail are joined.

    Files with nothing to check are kept apart from parts of files that were checked.
    """
    by_reason: dict[tuple[str, bool], list[Skipped]] = {}
    for skip in skipped:
        words = _NO_TRAFFIC if skip.why.cause in _OTHER_TRAFFIC else without_numbers(skip.reason.partition(":")[0])
        by_reason.setdefault((words, not checked.get(skip.file)), []).append(skip)
    for (words, whole), parts in by_reason.items():
        full_reasons = {skip.reason for skip in parts}
        yield Reason(full_reasons.pop() if len(full_reasons) == 1 and words != _NO_TRAFFIC else words, parts, whole)


def skipped_lines(skipped: Iterable[Skipped], checked: Mapping[str, int]) -> list[str]:
    """Return a line for each reason, or for each file if only a few files or parts have this reason."""
    return [line for one in reasons(skipped, checked) for line in (one.by_name if one.few else [one.summary])]


def say_skipped(skipped: Iterable[Skipped], checked: Mapping[str, int]) -> None:
    """Write those lines to standard error, for a command whose output has no place for them."""
    for line in skipped_lines(skipped, checked):
        say(f"skipped: {line}")


def say_advice(skipped: Sequence[Skipped], *, any_file: bool = True) -> None:
    """Write what to do if nothing was read, to standard error. ``any_file`` says whether there was a file to read."""
    if next_step := advice_on_skipped(skipped) if any_file or skipped else NO_FILE:
        say(next_step)


def advice_on_skipped(skipped: Iterable[Skipped]) -> str:
    """Return a line that says what to do about most of what was skipped, or an empty text if no advice is known.

    If many files were skipped, there is no advice: they are the files of a folder, and hardly captures.
    """
    by_file = {(skip.file, skip.why.advice) for skip in skipped}
    counts = Counter(text for _, text in by_file if text)
    return f"next: {counts.most_common(1)[0][0]}" if counts and len(by_file) <= _FEW else ""
