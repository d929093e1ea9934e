"""Text for people: one line a fault, however often it occurs, and one summary line; colours on a terminal only."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import TextIO

from isogloss.cli.summary import Run
from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import count_of, printable

__all__ = ["report", "summary", "write"]

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def report(run: Run, out: TextIO) -> None:
    """Write the findings, most severe first and then by place, what was skipped, and the summary."""
    write([*_findings(run.findings), *_skipped(run.skipped), [(summary(run), "bold" if run.failed else "")]], out)


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
    return f"{run.verdict}: {checked}{skipped}: {counts}"


def _findings(findings: Iterable[Finding]) -> Iterable[list[tuple[str, str]]]:
    groups: dict[tuple[Severity, str, str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.rule, finding.kind, finding.path, finding.message), []).append(
            finding
        )
    for (severity, rule, kind, path, message), members in sorted(groups.items(), key=lambda group: -group[0][0]):
        source = members[0].source
        times = sum(member.count for member in members)
        files = len({member.source.file for member in members})
        more = f"  (×{times}{f' in {files} files' if files > 1 else ''})" if times > 1 else ""
        where = f"{kind} {printable(path)}".strip()
        yield [
            (f"{printable(source.file)}:{source.line}:{source.column}: ", ""),
            (f"{severity.label}", _STYLES[severity]),
            (f"[{rule}]", "dim"),
            (f" {where}: ", "bold"),
            (message, ""),
            (more, "dim"),
        ]


def _skipped(skipped: Iterable[Skipped]) -> Iterable[list[tuple[str, str]]]:
    groups: dict[tuple[str, str], int] = {}
    for skip in skipped:
        key = (skip.file, skip.reason)
        groups[key] = groups.get(key, 0) + 1
    for (file, reason), times in groups.items():
        yield [
            (f"{printable(file)}: ", ""),
            ("skipped", "magenta"),
            (f": {printable(reason)}", ""),
            (f"  (×{times})" if times > 1 else "", "dim"),
        ]
