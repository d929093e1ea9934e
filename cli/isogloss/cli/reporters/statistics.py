"""Write how often each rule found something, instead of the findings."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from isogloss.cli.checking.summary import Run
from isogloss.cli.process.terminal import Line, write
from isogloss.cli.reporters.text import STYLES, rates_above, summary
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of

__all__ = ["report"]


def report(run: Run, out: TextIO) -> None:
    """Write a line for each rule and severity, the most frequent first, and the summary.

    As in the text report, ``×`` counts each chunk of a stream, and the summary counts each finding once.
    """
    counts: Counter[tuple[Severity, str]] = Counter()
    files: dict[tuple[Severity, str], set[str]] = {}
    for group in run.groups():
        key = group.first.severity, group.first.rule
        counts[key] += group.count
        files.setdefault(key, set()).update(group.files)
    count_width = len(f"×{max(counts.values(), default=0):,}")
    rule_width = max((len(rule) for _, rule in counts), default=0)
    lines: list[Line] = []
    for (severity, rule), count in sorted(counts.items(), key=lambda item: (-item[1], -item[0][0], item[0][1])):
        lines.append(
            [
                (f"{f'×{count:,}':>{count_width}}  ", "bold"),
                (f"{severity.label:<7}", STYLES[severity]),
                (f"  {rule:<{rule_width}}", ""),
                (f"  in {count_of(len(files[severity, rule]), 'file')}, {run.rates.rate_of(rule)}", "dim"),
            ]
        )
    write([*lines, *rates_above(run), [(summary(run), "bold" if run.failed else "")]], out)
