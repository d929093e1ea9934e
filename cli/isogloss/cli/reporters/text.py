"""Text for people: one line a fault, however often it occurs, and one summary line; colours on a terminal only.

How often a fault occurs, and which is the most severe, is known at the end. Verbosely there is a line for every
finding, and therefore file by file, as soon as a file is done.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TextIO

from isogloss.cli.summary import Group, Known, Run
from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import count_of, printable

__all__ = ["Lines", "line", "place", "report", "summary", "times", "what", "write"]

_MOST_GONE = 10

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def report(run: Run, out: TextIO) -> None:
    """Write the findings, most severe first and then by place, what was skipped, and the summary.

    Quietly, only findings that fail the run, and nothing when none do; verbosely, as :class:`Lines` does.
    """
    if run.detail == "verbose":
        all_lines = Lines(out)
        all_lines.add(run.findings)
        all_lines.end(run)
        return
    if run.detail == "quiet" and not run.failed:
        return
    lines = [line(group) for group in run.groups(failing=run.detail == "quiet")]
    if run.detail != "quiet":
        lines += [*_skipped(run.skipped), *_gone(run.known, verbose=False), *_excused(run)]
    write([*lines, _last(run)], out)


class Lines:
    """Every finding of a run by itself, file by file, those of a file most severe first and then by place."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._of_a_file: list[Finding] = []

    def add(self, found: Iterable[Finding]) -> None:
        """Take findings, in order, and write those of the files that are done with."""
        for file, findings in groupby(found, key=lambda one: one.source.file):
            if self._of_a_file and self._of_a_file[0].source.file != file:
                self._write()
            self._of_a_file += findings

    def end(self, run: Run) -> None:
        """Write the rest: what was skipped, what a baseline has in excess, and the summary."""
        self._write()
        write([*_skipped(run.skipped), *_gone(run.known, verbose=True), *_excused(run), _last(run)], self._out)

    def _write(self) -> None:
        found = sorted(self._of_a_file, key=lambda one: -one.severity)
        write((line(Group(one, one.count), with_dialects=True) for one in found), self._out)
        self._out.flush()
        self._of_a_file = []


def write(lines: Iterable[list[tuple[str, str]]], out: TextIO) -> None:
    """Write lines, each of them texts with their styles; the styles only to a terminal that wants colours."""
    if out.isatty() and not os.environ.get("NO_COLOR"):
        from rich.console import Console
        from rich.text import Text

        console = Console(file=out, soft_wrap=True, highlight=False)
        for line in lines:
            console.print(Text.assemble(*line))
    else:
        for line in lines:
            out.write("".join(text for text, _ in line) + "\n")


def summary(run: Run) -> str:
    """The one line that sums a run up."""
    numbers = run.payloads + Counter(stream=run.streams)
    order = ("request", "completion", "stream", "chunk", "error")
    kinds = [count_of(numbers[kind], kind) for kind in order if numbers[kind]]
    counts = ", ".join(
        count_of(run.severities[severity], severity.label) for severity in sorted(Severity, reverse=True)
    )
    files = f" in {count_of(run.files, 'file')}" if run.files or not run.exchanges else ""  # live answers are in none
    checked = f"{count_of(run.exchanges, 'exchange')}{files}" + (f" ({', '.join(kinds)})" if kinds else "")
    skipped = f", {len(run.skipped)} skipped" if run.skipped else ""
    known = f", {count_of(run.known.findings, 'known finding')}" if run.known is not None and run.known.findings else ""
    return f"{run.verdict}: {checked}{skipped}: {counts}{known}"


def what(finding: Finding) -> str:
    """What a finding is about: the kind of payload and the generic place in it."""
    return f"{finding.kind} {printable(finding.path)}".strip()


def times(group: Group) -> str:
    """How often a group of findings occurs, where that is more than once."""
    files = len(group.files)
    return f"(×{group.count}{f' in {files} files' if files > 1 else ''})" if group.count > 1 else ""


def place(finding: Finding) -> str:
    """Where a finding stands, as ``file:line:column``."""
    return f"{_file(finding.source.file)}:{finding.source.line}:{finding.source.column}"


def _file(name: str) -> str:
    """A file's name at the beginning of a line: never what a CI runner takes for a command, ``::error::``."""
    return f"{'./' if name.startswith(':') else ''}{printable(name)}"


def _last(run: Run) -> list[tuple[str, str]]:
    return [(summary(run), "bold" if run.failed else "")]


def line(group: Group, *, with_dialects: bool = False) -> list[tuple[str, str]]:
    """The line of findings that say the same, as texts with their styles."""
    first, often = group.first, times(group)
    dialects = f"  ({', '.join(first.explained_by)})" if with_dialects and first.explained_by else ""
    return [
        (f"{place(first)}: ", ""),
        (first.severity.label, _STYLES[first.severity]),
        (f"[{first.rule}]", "dim"),
        (f" {what(first)}: ", "bold"),
        (first.message, ""),
        (f"  {first.value}" if first.value is not None else "", "italic"),
        (f"  {often}" if often else "", "dim"),
        (dialects, "dim"),
    ]


def _gone(known: Known | None, *, verbose: bool) -> Iterator[list[tuple[str, str]]]:
    """The entries of a baseline that no longer occur."""
    gone = known.gone if known is not None else []
    for key, count in gone if verbose else gone[:_MOST_GONE]:
        often = f"  (×{count})" if count > 1 else ""
        where = f"{printable(key.file)}: [{key.rule}] {key.kind} {key.pointer}".rstrip()
        yield [(f"{where}: ", ""), ("no longer occurs", "green"), (f"{often}", "dim")]
    if gone and known is not None:
        entries = f"{len(gone)} {'entry' if len(gone) == 1 else 'entries'}"
        yield [(f"{printable(known.file)}: {entries} can go; --write-baseline writes it anew", "")]


def _excused(run: Run) -> Iterator[list[tuple[str, str]]]:
    """For each dialect how many findings it excuses, and how sure it is that the exchanges speak it."""
    for slug, spoken in sorted(run.dialects.items()):
        if spoken.explained:
            sure = "" if spoken.confidence is None else f"; attribution sure, at least {spoken.confidence:.2f}"
            yield [(f"excused as {slug}: {count_of(spoken.explained, 'finding')}{sure}", "dim")]


def _skipped(skipped: Iterable[Skipped]) -> Iterable[list[tuple[str, str]]]:
    counts = Counter((skip.file, skip.reason) for skip in skipped)
    for (file, reason), often in counts.items():
        yield [
            (f"{_file(file)}: ", ""),
            ("skipped", "magenta"),
            (f": {printable(reason)}", ""),
            (f"  (×{often})" if often > 1 else "", "dim"),
        ]
