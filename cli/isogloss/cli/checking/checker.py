"""Check files as a configuration says: which files, and by which rules. Findings in a baseline do not count."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct
from msgspec.structs import replace

from isogloss.cli.checking.guesses import Guesses
from isogloss.cli.checking.judges import is_active, make_judge
from isogloss.cli.checking.mapping_use import watch
from isogloss.cli.checking.skips import Skips
from isogloss.cli.checking.summary import BaselineUse, Run
from isogloss.cli.checking.unused import unused_expectations, unused_kind, unused_limits, unused_mappings
from isogloss.cli.configuration.paths import display_path, distinct, name_of, outermost
from isogloss.cli.configuration.settings import Configuration, Settings
from isogloss.cli.process import internal
from isogloss.cli.process.progress import ProgressBar
from isogloss.cli.reading import inputs, stores
from isogloss.cli.reading import jobs as work
from isogloss.cli.reading.corpus import Corpus
from isogloss.validator import captures, rules
from isogloss.validator.captures import MOST_SKIPPED
from isogloss.validator.engines import Engine
from isogloss.validator.exchange import LEFT_EARLY, Exchange, Kind, Skipped
from isogloss.validator.findings import SEVERITIES, STDIN, Finding, Severity
from isogloss.validator.impact import matcher_of
from isogloss.validator.judging.judge import Judge, Verdict

if TYPE_CHECKING:
    from isogloss.cli.checking.baseline import Baseline, NewBaseline

__all__ = ["Checker", "CheckerOptions"]

_EXPECTED = (OSError, click.ClickException, click.exceptions.Exit, click.Abort)
"""The exceptions that :mod:`isogloss.cli.main` turns into a message and an exit code."""


class CheckerOptions(Struct, frozen=True):
    """How files are read and judged, in each process of a run.

    ``kind`` and ``input_format`` are those of all files. If they are ``None``, each file shows what it is. With
    ``show_values``, findings quote the values at their places. ``stdin_name`` is the name of standard input, in
    findings, for the settings of files, and for the patterns of excluded files. ``clients`` are the clients whose
    breaks findings name, ``()`` for all of them. With ``None``, findings name no clients.
    """

    configuration: Configuration
    engine: Engine
    kind: Kind | None = None
    input_format: str | None = None
    show_values: bool = False
    stdin_name: str = STDIN
    clients: tuple[str, ...] | None = None


class Checker:
    """Checks files and exchanges, and gathers the results in ``run``.

    ``each`` is called with findings as they are found, in order: with those of one exchange, or of some files. ``cut``
    says whether several processes may share a large file. Its findings then come when the whole file is done. Findings
    that ``new_baseline`` takes do not fail the run. Without one, those in the baseline of the configuration do not.
    """

    def __init__(
        self,
        options: CheckerOptions,
        run: Run,
        *,
        new_baseline: NewBaseline | None = None,
        each: Callable[[Sequence[Finding]], None] | None = None,
        cut: bool = True,
    ) -> None:
        self.run = run
        self._options = options
        self._configuration = options.configuration
        path = self._configuration.baseline() if new_baseline is None else None
        self.baseline = _read_baseline(path) if path is not None else None
        self.new_baseline = new_baseline
        self.each = each
        self._cut = cut
        self._judges: dict[Settings, tuple[Judge, Severity]] = {}
        self._bar: ProgressBar | None = None
        self._corpus = Corpus(self._configuration, options.stdin_name, input_format=options.input_format)

    def files(self, paths: Sequence[str], *, jobs: int = 1) -> None:
        """Check files and whole folders, with several processes if there is enough work for them.

        A baseline that is read or written needs one file after the other: then there is only one process.
        """
        guesses = Guesses(self._corpus, quiet=self.run.settings.detail == "quiet")
        found_paths = guesses.announce(distinct(self._corpus.walk(paths), paths))
        with ProgressBar(quiet=self.run.settings.detail == "quiet") as self._bar:
            in_parallel = jobs > 1 and self.baseline is None and self.new_baseline is None
            if in_parallel:
                in_parallel, found_paths = work.has_enough_work(found_paths)
            tracked = self._bar.track(found_paths)
            for stays, group in groupby(tracked, lambda path: not in_parallel or self._stays_in_this_process(path)):
                if stays:
                    self.check_all(group, self._bar)
                else:
                    self._check_in_other_processes(group, jobs, self._bar, guesses)
        if self.baseline is not None:
            unread = {outermost(skip.file) for skip in self.run.skipped if skip.unread}
            gone = self.baseline.gone(self.run.checked.keys() - unread, self._is_active)
            self.run.known = BaselineUse(display_path(str(self.baseline.path)), self.baseline.known, gone)

    def check_all(self, paths: Iterable[str | Skipped], bar: ProgressBar | None = None) -> None:
        """Check files one after the other. The bar counts those that are done."""
        for path, exchanges in self._corpus.read_all(paths, kind=self._options.kind):
            if isinstance(path, Skipped):
                self.run.skipped.append(path)
            else:
                self.run.files += 1
                self._check_exchanges(path, exchanges)
            if bar is not None:
                bar.advance()

    def piece(self, piece: work.Piece) -> None:
        """Check a piece of a file."""
        self.run.files += not piece.start
        mapping = self._configuration.records(piece.path)
        self._check_exchanges(piece.path, inputs.read_piece(piece, kind=self._options.kind, mapping=mapping))

    def share(self, share: work.Share) -> None:
        """Check some of the row groups of a Parquet file."""
        self.run.files += not share.share
        self._check_exchanges(share.path, inputs.read_share(share, mapping=self._configuration.records(share.path)))

    def _check_exchanges(self, path: str, exchanges: Iterable[Exchange | Skipped]) -> None:
        """Check the exchanges of a file. An internal error ends only the check of this file, and is kept."""
        self.run.checked.setdefault(path, 0)
        name = self._corpus.name(path)
        judge, fail_on = self._judge_for(self._configuration.settings(name))
        exchanges = watch(path, self._configuration.records(name), exchanges, self.run.mappings)
        try:
            for exchange in exchanges:
                if isinstance(exchange, Exchange):
                    self._judge(judge, exchange, fail_on)
                else:
                    self.run.skipped.append(exchange)
        except _EXPECTED:
            raise
        except Exception as error:  # noqa: BLE001  # an internal error: the other files must still be checked
            self.run.internal_errors.append(f"{name_of(path)}: {internal.describe(error)}")

    def _judge(self, judge: Judge, exchange: Exchange, fail_on: Severity) -> None:
        """Judge one exchange. An internal error is kept, and the other exchanges are still judged."""
        run, file = self.run, exchange.file
        exchanges_before = run.exchanges
        try:
            verdict = judge.judge(exchange)
            findings: Sequence[Finding] | None = None  # all are new; places are looked up only where they are needed
            if self.baseline is not None or self.new_baseline is not None:
                findings = self._new_findings(verdict, fail_on)
            run.add(verdict, findings, file, fail_on)  # this finds the places of reported findings, too
            if exchange.http.left:
                run.skipped.append(Skipped(file=file, number=exchange.number, why=LEFT_EARLY))
            if self.each is not None:
                self._report(verdict.findings if findings is None else findings)
        except _EXPECTED:
            raise
        except Exception as error:  # noqa: BLE001  # as for files
            run.internal_errors.append(f"{file}, exchange {exchange.number}: {internal.describe(error)}")
            if run.exchanges == exchanges_before:
                run.exchanges += 1
                run.checked[file] = run.checked.get(file, 0) + 1

    def _new_findings(self, verdict: Verdict, fail_on: Severity) -> Sequence[Finding]:
        """Return the findings that are neither in the baseline nor added to the new one.

        Those that would fail the run are added to the new baseline.
        """
        findings: Sequence[Finding] = verdict.place(verdict.unplaced)
        if self.new_baseline is not None:
            self.new_baseline.add(self.run.settings.failing(findings, fail_on))
            findings = [finding for finding in findings if not self.run.settings.fails(finding, fail_on)]
        if self.baseline is not None:
            findings = self.baseline.new(findings)  # it knows findings, too, that are not severe enough to be reported
        return [finding for finding in findings if finding.severity >= self.run.settings.least_severity]

    def _is_active(self, file: str, rule: str) -> bool:
        """Return whether a file is checked by a rule."""
        return is_active(rule, self._configuration, self._configuration.settings(self._corpus.name(file)))

    def _stays_in_this_process(self, path: str | Skipped) -> bool:
        """Return whether this process reads a file itself: standard input, and large files unless they may be cut."""
        return path == "-" or (not self._cut and work.is_large(path))

    def _check_in_other_processes(
        self, paths: Iterable[str | Skipped], jobs: int, bar: ProgressBar, guesses: Guesses
    ) -> None:
        """Check the files in several processes, and add the results in the order of the files."""
        from isogloss.cli.checking.workers import run_in_order

        # Which notes of a file are the first of their group is known only when all results are merged.
        settings = replace(self.run.settings, frames_notes_once=False)
        settings = settings if self.each is None else replace(settings, keep="all")
        process_checker = Checker(self._options, Run(settings))
        piece_runs: list[Run] = []  # the results of the pieces of the current file
        skips = Skips()
        batches = work.batches(paths, self._options.kind, self._options.input_format)
        may_fork = partial(_may_fork, guesses)
        captures.formats_beginning(as_json=True)  # most processes need them: they are imported once, before a fork
        rules.checks("wire")
        for batch, run in run_in_order(
            batches, jobs, _start_process, (process_checker,), _check_batch, may_fork=may_fork
        ):
            if not isinstance(batch, work.Piece) or not batch.start:
                self._merge_pieces(piece_runs)
                piece_runs = []
            if isinstance(batch, work.Piece):
                bar.advance(not batch.start)
                piece_runs.append(run)
                continue
            if isinstance(batch, work.Share):
                bar.advance(not batch.share)
                run.skipped = skips.to_report(batch, run.skipped)
            else:
                bar.advance(len(batch))
            self.run.merge(run)
            self._report(run.findings)
        self._merge_pieces(piece_runs)

    def _merge_pieces(self, piece_runs: list[Run]) -> None:
        """Merge the results of the pieces of a file, in order.

        If a piece was not read to its end, or if too much was skipped, the whole file is read again by this process.
        """
        skipped = [skip for run in piece_runs for skip in run.skipped]
        if len(skipped) > MOST_SKIPPED or any(skip.number is None for skip in skipped):
            self.check_all([next(iter(piece_runs[0].checked))])
            return
        after = 0
        for run in piece_runs:
            exchanges = run.exchanges + len(run.skipped)
            self.run.merge(run, after=after)
            self._report(run.findings)
            after += exchanges

    def exchange(self, exchange: Exchange) -> None:
        """Check one exchange, with the settings for no particular file."""
        judge, fail_on = self._judge_for(self._configuration.settings(None))
        self._judge(judge, exchange, fail_on)

    def _report(self, findings: Sequence[Finding]) -> None:
        if self.each is not None and findings:
            if self._bar is not None:
                self._bar.hide()
            self.each(findings)

    def unmatched(self, paths: Sequence[str]) -> list[str]:
        """Return a message for each setting without any effect after these paths were checked.

        These are patterns that matched nothing, and paths at which nothing was found.
        """
        is_whole = self._corpus.is_whole(paths)
        messages = self._corpus.unmatched(paths)
        messages += unused_mappings(self.run.mappings, is_whole=is_whole or "records" in self._configuration.line)
        messages += [*unused_kind(self.run, self._options.kind), *unused_limits(self.run)]
        messages += unused_expectations(self.run, self._configuration.expectations(), is_whole=is_whole)
        return messages

    def _judge_for(self, settings: Settings) -> tuple[Judge, Severity]:
        """Return the judge for these settings, and the lowest severity that fails the run."""
        known = self._judges.get(settings)
        if known is None:
            judge = make_judge(
                self._configuration,
                settings,
                self._options.engine,
                show_values=self._options.show_values,
                matcher=matcher_of(self._options.clients),
            )
            known = self._judges[settings] = judge, SEVERITIES[settings.fail_on]
        return known


def _read_baseline(path: Path) -> Baseline:
    from isogloss.cli.checking.baseline import load  # few configurations have one

    return load(path)


def _may_fork(guesses: Guesses) -> bool:
    """Return whether this process may fork. It may not after pyarrow was imported, since pyarrow has threads."""
    return not guesses.looked and not stores.was_used()


_process_checker: Checker
"""In a process that checks for another one: its checker."""


def _start_process(checker: Checker) -> None:
    global _process_checker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one will end it
    _process_checker = checker


def _check_batch(batch: work.Batch) -> Run:
    checker = _process_checker
    checker.run = Run(checker.run.settings)
    if isinstance(batch, work.Piece):
        checker.piece(batch)
    elif isinstance(batch, work.Share):
        checker.share(batch)
    else:
        checker.check_all(batch)
    return checker.run
