"""Checking files by a configuration: which files, by whose rules, less what a baseline knows."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isogloss.cli import inputs
from isogloss.cli import jobs as work
from isogloss.cli.baseline import Baseline, Recorder
from isogloss.cli.configuration import Configuration, Settings
from isogloss.cli.dialect_choice import speaker
from isogloss.cli.progress import Bar
from isogloss.cli.selection import active_rules
from isogloss.cli.summary import Known, Run
from isogloss.validator.captures import MOST_SKIPPED
from isogloss.validator.engines import Engine
from isogloss.validator.exchange import Exchange, Kind, Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.judge import Judge, Verdict

__all__ = ["SEVERITIES", "Checker"]

SEVERITIES = {severity.label: severity for severity in Severity}


@dataclass(slots=True, kw_only=True)
class Checker:
    """Checks files and exchanges, and gathers what that comes to in ``run``.

    ``each`` is called with findings as they are found, in order: those of an exchange, or of some files. ``cut`` is
    whether several processes may share a large file, whose findings then come when it is done. What ``recorder`` takes
    fails nothing. ``show_values`` has findings quote what stands at their places; ``once`` is for reports of the first
    place alone.
    """

    configuration: Configuration
    engine: Engine
    run: Run
    baseline: Baseline | None = None
    recorder: Recorder | None = None
    each: Callable[[list[Finding]], None] | None = None
    cut: bool = True
    show_values: bool = False
    once: bool = False
    _judges: dict[Settings, Judge] = field(default_factory=dict, init=False)
    _bar: Bar | None = field(default=None, init=False)

    def files(
        self, paths: Iterable[str], *, kind: Kind | None = None, input_format: str | None = None, jobs: int = 1
    ) -> None:
        """Check files and whole directories, with several processes where there is enough to do for them.

        A baseline and a recorder want one file after the other: for them there is one process.
        """
        walked = self._walk(paths)
        if jobs > 1 and self.baseline is None and self.recorder is None:
            found = list(walked)
            if work.worth_it(found):
                with Bar(len(found), quiet=self.run.detail == "quiet") as self._bar:
                    self._spread(found, kind, input_format, jobs, self._bar)
                return
            walked = iter(found)
        with Bar(None, quiet=self.run.detail == "quiet") as self._bar:
            for path in walked:
                self.piece(work.Piece(path), kind, input_format)
                self._bar.advance()
        if self.baseline is not None:
            gone = self.baseline.gone(self.run.checked)
            self.run.known = Known(inputs.shown(str(self.baseline.path)), self.baseline.known, gone)

    def piece(self, piece: work.Piece, kind: Kind | None, input_format: str | None) -> None:
        """Check a file or a piece of one."""
        path, start, end, line = piece
        if isinstance(path, Skipped):
            self.run.skipped.append(path)
            return
        self.run.files += not start
        self.run.checked[path] += 0
        judge, fail_on = self._by(self.configuration.settings(None if path == "-" else path))
        again = _Again(judge, inputs.name_of(path), self.run, fail_on)
        found = (
            inputs.read(path, kind=kind, input_format=input_format, settled=again)
            if end is None
            else inputs.read_part(path, start, end, line, kind=kind, settled=again)
        )
        for one in found:
            again.count()
            if isinstance(one, Skipped):
                self.run.skipped.append(one)
            else:
                self._judged(judge.judge(one), one.file, fail_on)
        again.count()

    def _spread(
        self, paths: Sequence[str | Skipped], kind: Kind | None, input_format: str | None, jobs: int, bar: Bar
    ) -> None:
        own = [place for place, path in enumerate(paths) if path == "-" or (not self.cut and work.large(path))]
        if own:  # standard input is this process's own, and read in its turn; so is what is told as it is found
            start = 0
            for place in own:
                self._spread(paths[start:place], kind, input_format, jobs, bar)
                self.piece(work.Piece(paths[place]), kind, input_format)
                bar.advance()
                start = place + 1
            self._spread(paths[start:], kind, input_format, jobs, bar)
            return
        other = replace(self, run=replace(self.run.empty(), keep=self.run.keep or self.each is not None), each=None)
        pieces: list[Run] = []  # of the file that is being read piece by piece
        arguments = (other, kind, input_format)
        for batch, run in work.in_order(work.batches(paths, kind, input_format), jobs, _start, arguments, _check):
            if batch[0].start == 0:
                self._join(pieces, kind, input_format)
                pieces = []
            bar.advance(sum(not piece.start for piece in batch))
            if batch[0].end is None:
                self.run.merge(run)
                self._tell(run.findings)
            else:
                pieces.append(run)
        self._join(pieces, kind, input_format)

    def _join(self, pieces: list[Run], kind: Kind | None, input_format: str | None) -> None:
        """Put the pieces of a file together; one not read to its end, or with much to skip, is read again whole."""
        skipped = [one for run in pieces for one in run.skipped]
        if len(skipped) > MOST_SKIPPED or any(one.number is None for one in skipped):
            self.piece(work.Piece(next(iter(pieces[0].checked))), kind, input_format)
            return
        after = 0
        for run in pieces:
            exchanges = run.exchanges + len(run.skipped)
            self.run.merge(run, after=after)
            self._tell(run.findings)
            after += exchanges

    def exchange(self, exchange: Exchange) -> None:
        """Check one exchange, by the settings of no particular file."""
        judge, fail_on = self._by(self.configuration.settings(None))
        self._judged(judge.judge(exchange), exchange.file, fail_on)

    def _judged(self, verdict: Verdict, file: str, fail_on: Severity) -> None:
        if self.recorder is not None:
            self.recorder.add(one for one in verdict.findings if one.severity >= fail_on)
            verdict = verdict._replace(findings=[one for one in verdict.findings if one.severity < fail_on])
        if self.baseline is not None:
            verdict = verdict._replace(findings=self.baseline.new(verdict.findings))
        self.run.add(verdict, file=file, fail_on=fail_on)
        if self.each is not None:
            self._tell(verdict.findings)

    def _tell(self, findings: list[Finding]) -> None:
        if self.each is not None and findings:
            if self._bar is not None:
                self._bar.hide()
            self.each(findings)

    def _walk(self, paths: Iterable[str]) -> Iterator[str | Skipped]:
        excludes = self.configuration.excludes
        for path in inputs.walk(path if path == "-" else inputs.shown(path) for path in paths):
            name = path.file if isinstance(path, Skipped) else path
            if name == "-" or not excludes(name):
                yield path

    def _by(self, settings: Settings) -> tuple[Judge, Severity]:
        """Who judges by these settings, and the severity from which on findings fail."""
        judge = self._judges.get(settings)
        if judge is None:
            strict = {"documented-property-absent": Severity.ERROR} if settings.strict else {}
            judge = self._judges[settings] = Judge(
                self.engine,
                active=active_rules(settings.select, settings.ignore),
                severities=strict | {rule: SEVERITIES[label] for rule, label in settings.severity},
                speaker=speaker(settings.dialect, self.configuration.dialect_files()),
                show_values=self.show_values,
                once=self.once,
            )
        return judge, SEVERITIES[settings.fail_on]


class _Again:
    """Takes the completions of a file of which nothing new is to be said, and counts them in a run."""

    __slots__ = ("_again", "_fail_on", "_file", "_run", "_times", "_verdict")

    def __init__(self, judge: Judge, file: str, run: Run, fail_on: Severity) -> None:
        self._again = judge.again
        self._file = file
        self._run = run
        self._fail_on = fail_on
        self._verdict: Verdict | None = None
        self._times = 0

    def __call__(self, value: dict[str, Any]) -> bool:
        verdict = self._again(self._file, value)
        if verdict is not self._verdict:
            self.count()
            self._verdict = verdict
        self._times += 1
        return verdict is not None

    def count(self) -> None:
        """Count those taken so far, before others are."""
        if self._verdict is not None:
            self._run.add(self._verdict, file=self._file, fail_on=self._fail_on, times=self._times)
        self._verdict = None
        self._times = 0


_own: tuple[Checker, Kind | None, str | None]
"""Of a process that checks for another one: how."""


def _start(checker: Checker, kind: Kind | None, input_format: str | None) -> None:
    global _own
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    _own = (checker, kind, input_format)


def _check(batch: list[work.Piece]) -> Run:
    checker, kind, input_format = _own
    checker.run = checker.run.empty()
    for piece in batch:
        checker.piece(piece, kind, input_format)
    return checker.run
