"""Read recordings, compare them, and keep what every output format shows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from isogloss.cli.configuration.paths import display_path, name_of
from isogloss.cli.configuration.settings import Configuration, Settings
from isogloss.cli.reading.corpus import Corpus
from isogloss.validator.captures.capture import Readable
from isogloss.validator.comparing.answers import ComparedAnswer, answer_of
from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.pairing import AnswerGroup, Way, pair, twins_between, twins_within
from isogloss.validator.comparing.recordings import Changes, changes
from isogloss.validator.comparing.twins import TwinDifference, differences
from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Severity
from isogloss.validator.judging.judge import Judge
from isogloss.validator.quoting import count_of, without_numbers

__all__ = ["Comparison", "Recording", "RepeatedDifference", "compare_recordings", "compare_twins", "read"]

Question: TypeAlias = Literal["twins", "changes"]


@dataclass(slots=True)
class Recording:
    """The answers under a path, how many files hold them, and what was skipped."""

    path: str
    answers: list[ComparedAnswer] = field(default_factory=list)
    files: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def temporary_errors(self) -> int:
        """The number of temporary errors: the server was busy or not there, and may answer the same request later."""
        return sum(answer.is_temporary_error for answer in self.answers)

    @property
    def answer_count(self) -> int:
        """The number of answers without the temporary errors."""
        return len(self.answers) - self.temporary_errors


@dataclass(slots=True)
class RepeatedDifference:
    """Differences with the same message at the same path: the first one, and how many there are."""

    first: TwinDifference
    count: int = 0


@dataclass(slots=True, kw_only=True)
class Comparison:
    """What was compared, and what differs. ``groups`` counts the requests that have answers on two sides.

    ``paired_by`` is how the answers of two recordings were paired. ``alone`` counts the answers without a partner in
    each recording, and ``refused`` the requests that it has no answer to: the server refused them for a reason that is
    not in the request, although it answered them in the other recording.
    """

    question: Question
    recordings: Sequence[Recording]
    groups: int
    paired_by: Way | None = None
    alone: tuple[int, int] = (0, 0)
    refused: tuple[int, int] = (0, 0)
    differences: list[TwinDifference] = field(default_factory=list)
    changes: list[Changes] = field(default_factory=list)

    @property
    def severities(self) -> Counter[Severity]:
        """The number of differences or changes of each severity."""
        severities: Iterable[Severity] = [difference.finding.severity for difference in self.differences]
        return Counter([*severities, *(change.severity for change in self.all_changes)])

    @property
    def all_changes(self) -> list[Change]:
        """The changes of every dialect and endpoint."""
        return [change for changes in self.changes for change in changes.changes]

    @property
    def skipped(self) -> list[Skipped]:
        """What was skipped in any recording."""
        return [skip for recording in self.recordings for skip in recording.skipped]

    @property
    def checked(self) -> Counter[str]:
        """The number of answers in each file."""
        return Counter(answer.exchange.file for recording in self.recordings for answer in recording.answers)

    @property
    def is_partial(self) -> bool:
        """Whether answers could not be compared, since the server refuses their requests in the other recording.

        If only the second recording is asked about, it does not matter what the server refused in the first.
        """
        return any(self.refused if self.question == "twins" else self.refused[1:])

    def failed(self, fail_on: Severity) -> bool:
        """Return whether any difference or change is at least this severe."""
        return any(severity >= fail_on for severity in self.severities)

    def repeated_differences(self) -> list[RepeatedDifference]:
        """Group equal differences: the same severity, rule and path, and the same message except for its numbers.

        The most severe groups come first.
        """
        by_key: dict[tuple[object, ...], RepeatedDifference] = {}
        for difference in self.differences:
            finding = difference.finding
            key = finding.severity, finding.rule, finding.path, without_numbers(finding.message)
            by_key.setdefault(key, RepeatedDifference(difference)).count += 1
        return sorted(by_key.values(), key=lambda repeated: -repeated.first.finding.severity)

    @property
    def heading(self) -> str:
        """The comparison in one line, without its verdict."""
        answers = sum(recording.answer_count for recording in self.recordings)
        file_count = sum(recording.files for recording in self.recordings)
        text = f"{count_of(answers, 'answer')} in {count_of(file_count, 'file')}, " if answers else ""
        text += _groups_text(self.groups, self.paired_by)
        for recording, alone in zip(self.recordings, self.alone, strict=False):
            text += f", {alone} without a partner in {recording.path}" if alone else ""
        for recording, refused in zip(self.recordings, self.refused, strict=False):
            text += f", {refused} refused in {recording.path}" if refused else ""
        temporary_errors = sum(recording.temporary_errors for recording in self.recordings)
        return text + (f", {count_of(temporary_errors, 'temporary error')} left out" if temporary_errors else "")


def _groups_text(groups: int, way: Way | None) -> str:
    """Return in words how many groups were compared."""
    if way == "none":
        return "all against all"
    return f"{count_of(groups, 'group')} of twins" if way is None else f"{count_of(groups, _UNITS[way])} in both"


_UNITS: dict[Way, str] = {"request": "request", "name": "case", "position": "position"}


def read(
    path: str,
    judge_for: Callable[[Settings], Judge],
    configuration: Configuration,
    *,
    stream: Readable | None,
    input_format: str | None,
) -> Recording:
    """Read and judge everything under a path, as the configuration says. ``stream`` is that of a pipe that is open."""
    recording = Recording(name_of(path))
    streams = {} if stream is None else {display_path(path): stream}
    corpus = Corpus(configuration, streams=streams, input_format=input_format)
    for file, exchanges in corpus.read_all(corpus.walk([path])):
        if isinstance(file, Skipped):
            recording.skipped.append(file)
            continue
        recording.files += 1
        judge = judge_for(configuration.settings(corpus.name(file)))
        for exchange in exchanges:
            if isinstance(exchange, Skipped):
                recording.skipped.append(exchange)
            elif (answer := answer_of(judge.judge(exchange), (_case(file, path), exchange.number))) is not None:
                recording.answers.append(answer)
    return recording


def _case(file: str, path: str) -> str:
    """Return the path of a file below the given folder, without its suffix, or an empty text if no folder was given."""
    return os.path.splitext(os.path.relpath(file, path))[0] if os.path.isdir(path) else ""


def compare_twins(recordings: Sequence[Recording], way: Way | None, active: Collection[str] | None) -> Comparison:
    """Compare answers to the same request with each other, within one recording or between two."""
    groups: list[AnswerGroup]
    alone = refused = (0, 0)
    paired_by: Way | None = None
    if len(recordings) == 1:
        groups = twins_within(recordings[0].answers)
    else:
        pairing = twins_between(recordings[0].answers, recordings[1].answers, way)
        groups, paired_by, alone = pairing.groups, pairing.way, (pairing.alone_before, pairing.alone_after)
        refused = pairing.refused_before, pairing.refused_after
    found_differences = list(differences(groups, active))
    return Comparison(
        question="twins",
        recordings=recordings,
        groups=len(groups),
        paired_by=paired_by,
        alone=alone,
        refused=refused,
        differences=found_differences,
    )


def compare_recordings(recordings: Sequence[Recording], way: Way | None) -> Comparison:
    """Compare the second recording with the first."""
    pairing = pair(recordings[0].answers, recordings[1].answers, way)
    return Comparison(
        question="changes",
        recordings=recordings,
        groups=len(pairing.groups),
        paired_by=pairing.way,
        alone=(pairing.alone_before, pairing.alone_after),
        refused=(pairing.refused_before, pairing.refused_after),
        changes=changes(pairing),
    )
