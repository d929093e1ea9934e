"""Write text for people: the findings of each file with the text at their places, and a summary.

Findings with the same message at the same path are shown once, with their number. This number, and the order by
severity, are known only at the end of the run. In verbose output every finding has its own line, so the lines of a file
are written as soon as the file is done.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TextIO

from isogloss.cli.checking.contexts import FramedOnce
from isogloss.cli.checking.groups import FindingGroup
from isogloss.cli.checking.summary import BaselineUse, Run
from isogloss.cli.elements.frames import frame
from isogloss.cli.elements.places import file_name, kind_and_path, place
from isogloss.cli.elements.skipping import count_by_name, reasons
from isogloss.cli.process.terminal import Line, width_of, write
from isogloss.cli.reporters.advice import advice, dialects_known_for, remedy
from isogloss.validator.exchange import Skipped, count_skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import count_of, join_list, printable

__all__ = [
    "STYLES", "Lines", "context", "explaining_dialects", "frequency", "gone_as_text", "impact", "known_findings",
    "line", "message", "nothing_checked", "rates_above", "rates_as_text", "report", "seen_to_break", "size", "summary",
    "what_to_do",
]  # fmt: skip

_MOST_GONE = 10

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def report(run: Run, out: TextIO) -> None:
    """Write the findings by file, those of a file most severe first, what was skipped, the summary, and what to do.

    With ``quiet``, write only findings that fail the run, and write nothing if the run does not fail. With ``verbose``,
    write what :class:`Lines` writes.
    """
    if run.settings.detail == "verbose":
        all_lines = Lines(out)
        all_lines.add(run.findings)
        all_lines.end(run)
        return
    quiet = run.settings.detail == "quiet"
    if quiet and not run.failed:
        return
    show_impact = run.settings.show_impact
    all_groups = run.groups(failing=quiet, show_impact=show_impact)
    groups = [group for group in all_groups if run.settings.lists(group.first)]
    width = width_of(out)
    lines = list(_by_file(groups, width, show_impact=show_impact))
    if not quiet:
        lines += [*_skipped_lines(run), *_gone_lines(run.known, verbose=False), *_explained_lines(run, verbose=False)]
    lines += rates_above(run)
    if width is not None and lines and lines[-1]:
        lines.append([])
    lines.append(_summary_line(run))
    if not quiet and (next_step := advice(groups, run)):
        lines.append([(next_step, "")])
    write(lines, out)


def _by_file(groups: Sequence[FindingGroup], width: int | None, *, show_impact: bool) -> Iterator[Line]:
    """Yield the lines for the findings of each file together, with what stands at each place.

    On a terminal, the name of the file stands above them.
    """
    files: dict[str, list[FindingGroup]] = {}
    for group in groups:
        files.setdefault(group.first.source.file, []).append(group)
    explained_rules: set[str] = set()  # the rules whose advice was printed
    for file, file_groups in files.items():
        if width is not None:
            yield [(file_name(file), "bold underline")]
        framed = FramedOnce()
        for group in sorted(file_groups, key=lambda each: (-each.first.severity, each.first.source.line)):
            first = group.first
            yield line(group, with_file=width is None)
            if framed.takes(first):
                yield from context(group, width)
            if show_impact:
                yield from impact(first)
            if first.severity > Severity.NOTE and first.rule not in explained_rules:
                explained_rules.add(first.rule)
                yield from what_to_do(first)
        if width is not None:
            yield []


def context(group: FindingGroup, width: int | None) -> Iterator[Line]:
    """Yield lines with what stands around the place of a finding, and the dialects in which the finding is known."""
    if group.context is not None and group.context.excerpt is not None:
        yield from frame(group.context.excerpt, width, STYLES[group.first.severity])
    if known := dialects_known_for(group):
        yield [(f"      = {known}", "dim")]


def what_to_do(finding: Finding) -> Iterator[Line]:
    """Yield a line with the advice how to repair a finding, and for whom it is, if there is one."""
    reader, advice_text = remedy(finding)
    if advice_text:
        yield [("      = ", "dim"), (f"as {reader}: ", "bold"), (advice_text, "")]


def seen_to_break(finding: Finding) -> str:
    """Return in one line which clients were seen to break on a finding like this; empty if none was."""
    if finding.impact is None:
        return ""
    from isogloss.validator.impact.words import describe_impact

    return describe_impact(finding.impact)


def impact(finding: Finding) -> Iterator[Line]:
    """Yield a line with the clients that were seen to break on a finding like this, if there are any."""
    if broken_clients := seen_to_break(finding):
        yield [("      = ", "dim"), (broken_clients, "")]


class Lines:
    """Writes every finding of a run by itself, file by file, in each file the most severe first and then by place."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._findings_of_file: list[Finding] = []

    def add(self, found: Iterable[Finding]) -> None:
        """Take findings, in order. Write those of each file when the file is done."""
        for file, findings in groupby(found, key=lambda finding: finding.source.file):
            if self._findings_of_file and self._findings_of_file[0].source.file != file:
                self._write()
            self._findings_of_file += findings

    def end(self, run: Run) -> None:
        """Write the rest: what was skipped, entries of a baseline that no longer occur, and the summary."""
        self._write()
        write(
            [
                *_skip_lines(run.skipped),
                *_gone_lines(run.known, verbose=True),
                *_explained_lines(run, verbose=True),
                *rates_above(run),
                _summary_line(run),
            ],
            self._out,
        )

    def _write(self) -> None:
        found = sorted(self._findings_of_file, key=lambda finding: -finding.severity)
        write(
            (part for finding in found for part in (line(FindingGroup(finding, finding.count)), *impact(finding))),
            self._out,
        )
        self._out.flush()
        self._findings_of_file = []


def summary(run: Run) -> str:
    """Return the line that sums up a run."""
    counts = ", ".join(
        count_of(run.severities.get(severity, 0), severity.label) for severity in sorted(Severity, reverse=True)
    )
    return f"{run.verdict}: {size(run)}: {counts}{known_findings(run)}"


def size(run: Run) -> str:
    """Return how much was checked, and how much was skipped."""
    numbers = Counter(run.payloads) + Counter(stream=run.streams)
    order = ("request", "completion", "stream", "chunk", "error")
    kinds = [count_of(numbers[kind], kind) for kind in order if numbers[kind]]
    if 0 < numbers["request"] == numbers.total() and not run.has_answers:
        kinds.append("no answers")  # a recorder may have left them all out, as browsers do with streams
    has_files = run.files or not (run.exchanges or run.skipped or run.cases)  # live answers have none
    files = f" in {count_of(run.files, 'file')}" if has_files else ""
    checked = f"{count_of(run.exchanges, 'exchange')}{files}" + (f" ({', '.join(kinds)})" if kinds else "")
    unchecked = "skipped" if run.cases is None else "inconclusive"  # what a probe skips are cases without a verdict
    return checked + (f", {count_skipped(run.skipped):,} {unchecked}" if run.skipped else "")


def known_findings(run: Run) -> str:
    """Return how many findings the baseline knows, behind a comma; empty if there are none."""
    return f", {count_of(run.known.findings, 'known finding')}" if run.known is not None and run.known.findings else ""


def nothing_checked(run: Run) -> list[Line]:
    """Return lines with the reasons why nothing could be checked, also for a quiet run."""
    return [*_skipped_lines(run), _summary_line(run)]


def message(finding: Finding) -> str:
    """Return what a finding is about, its message, and the dialects that explain it."""
    return f"{kind_and_path(finding)}: {finding.message}{explaining_dialects(finding)}"


def explaining_dialects(finding: Finding) -> str:
    """Return the dialects that explain a finding, in brackets after a space; empty if none does."""
    return f" (known in {', '.join(finding.explained_by)})" if finding.explained_by else ""


def frequency(group: FindingGroup) -> str:
    """Return how often a group of findings occurs, and the rate of its rule; empty if it occurs once."""
    files = len(group.files)
    rate = f"; the rule in {group.rate}" if group.rate is not None and group.rate.of > 1 else ""
    return f"(×{group.count:,}{f' in {files:,} files' if files > 1 else ''}{rate})" if group.count > 1 else ""


def _summary_line(run: Run) -> Line:
    return [(summary(run), "bold" if run.failed else "")]


def line(group: FindingGroup, *, with_file: bool = True) -> Line:
    """Return one line for a group of findings: place, severity, rule, message, and how often it occurs.

    Without ``with_file``, the name of the file is left out, because it stands above.
    """
    first, often = group.first, frequency(group)
    source = first.source
    return [
        (f"{place(source)}: " if with_file else f"  {source.line}:{source.column}: ", ""),
        (first.severity.label, STYLES[first.severity]),
        (f"[{first.rule}]", "dim"),
        (f" {kind_and_path(first)}: ", "bold"),
        (first.message, ""),
        (f"  {first.value}" if first.value is not None else "", "italic"),
        (f"  {often}" if often else "", "dim"),
        (f" {explaining_dialects(first)}" if first.explained_by else "", "dim"),
    ]


def _gone_lines(known: BaselineUse | None, *, verbose: bool) -> Iterator[Line]:
    """Yield lines for the entries of a baseline that no longer occur."""
    gone = known.gone if known is not None else []
    for key, count in gone if verbose else gone[:_MOST_GONE]:
        times_text = f"  (×{count:,})" if count > 1 else ""
        entry = printable(f"[{key.rule}] {key.kind} {key.pointer}".rstrip())
        yield [(f"{file_name(key.file)}: {entry}: ", ""), ("no longer occurs", "green"), (f"{times_text}", "dim")]
    if gone and known is not None:
        entries = count_of(len(gone), "entry")
        yield [(f"{file_name(known.file)}: {entries} can be removed; --write-baseline writes the file anew", "")]


def gone_as_text(known: BaselineUse | None) -> list[str]:
    """Return a sentence about the entries that no longer occur, and one for each, for formats without colours."""
    *entries, last = ["".join(text for text, _ in line) for line in _gone_lines(known, verbose=True)] or [""]
    return [last, *entries] if entries else []


def _explained_lines(run: Run, *, verbose: bool) -> Iterator[Line]:
    """Yield a line for each dialect: how many findings are known in it, and how sure it is that exchanges speak it.

    With ``--dialect auto``, the last line says for how many exchanges no dialect is sure.
    """
    for slug, spoken in sorted(run.dialects.items()):
        if spoken.explained:
            confidence = (
                "" if spoken.confidence is None else f" (confidence at least {_rounded_down(spoken.confidence)})"
            )
            hint = "" if verbose or run.settings.fail_on is Severity.NOTE else "; -v lists them"
            dialect = f"{slug} relaying {join_list(sorted(spoken.relaying))}" if spoken.relaying else slug
            yield [(f"{count_of(spoken.explained, 'finding')} known in {dialect}{confidence}{hint}", "dim")]
    if undetermined := sum(spoken.nearest.total() for spoken in run.dialects.values()):
        speak = f"{count_of(undetermined, 'exchange')} {'speaks' if undetermined == 1 else 'speak'}"
        yield [(f"{speak} no dialect for certain; isogloss report names the nearest", "dim")]


def _rounded_down(confidence: float) -> str:
    return f"{math.floor(confidence * 100) / 100:.2f}"


def rates_above(run: Run) -> Iterator[Line]:
    """Yield a line for each rate that is above its limit."""
    for rate, limit in run.rates.above(run.settings.limits):
        yield [(f"{rate.rule}: ", "bold"), (f"in {rate}, and at most {limit:g} % may have it", "bold red")]


def rates_as_text(run: Run) -> list[str]:
    """Return a sentence for each rate that is above its limit, for formats without colours."""
    return ["".join(text for text, _ in line) for line in rates_above(run)]


def _skipped_lines(run: Run) -> Iterator[Line]:
    """Yield a line for each reason with the number of skipped files or parts. If they are few, name each of them."""
    for reason in reasons(run.skipped, run.checked):
        if reason.few:
            yield from _skip_lines(reason.skipped)
        else:
            yield [("skipped", "magenta"), (f": {reason.summary}", "")]


def _skip_lines(skipped: Iterable[Skipped]) -> Iterator[Line]:
    """Yield a line for each file that was skipped as a whole or in part. It says why."""
    for (file, reason), count in count_by_name(skipped).items():
        yield [
            (f"{file_name(file)}: ", ""),
            ("skipped", "magenta"),
            (f": {printable(reason)}", ""),
            (f"  (×{count:,})" if count > 1 else "", "dim"),
        ]
