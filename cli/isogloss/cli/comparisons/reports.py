"""Compare two JSON reports of ``isogloss probe``: cases that end differently, and rules that only one run breaks."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain, islice
from typing import NamedTuple

import click

from isogloss.cli.checking import probe_reports
from isogloss.cli.checking.probe_reports import FindingKey, ProbeReport
from isogloss.cli.comparisons.comparison import Comparison, Recording
from isogloss.cli.configuration.named_files import as_utf_8
from isogloss.cli.configuration.paths import name_of
from isogloss.cli.reading import stores
from isogloss.validator.captures.capture import Blocks, Readable, read_fully
from isogloss.validator.captures.limits import LARGEST_DOCUMENT
from isogloss.validator.comparing.change import Change
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.recordings import Changes
from isogloss.validator.comparing.strata import Stratum
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import count_of, printable, quote_name

__all__ = ["Report", "compare_reports", "read"]

_CHANGE_SEVERITIES = {
    ("conforms", "deviates"): Severity.ERROR,
    ("conforms", "unsupported"): Severity.ERROR,
    ("unsupported", "deviates"): Severity.WARNING,
    ("inconclusive", "deviates"): Severity.WARNING,
}
"""The severity of a change from the first standing of a case to the second. All other changes are notes."""


_HEAD = 100
_BLOCK = 1 << 20


class Report(NamedTuple):
    """A report of a probe of one server, with the path of its file."""

    path: str
    server: ProbeReport

    def broken(self, cases: Collection[str]) -> dict[FindingKey, Rate]:
        """Return for each rule that is broken at a path in how many of some cases it is."""
        others = self.server.standings.keys() - cases
        counts = Counter(
            seen for case, findings in self.server.findings.items() if case not in others for seen in findings
        )
        return {seen: Rate(count, len(cases)) for seen, count in counts.items()}


def read(path: str) -> Report | Readable | None:
    """Return the report in a file, a pipe or standard input.

    If it is no report, or cannot be read, return ``None``: it may be a capture. A pipe and standard input can be read
    only once, so return a stream of what is in them.

    Raises ``click.UsageError`` for a report without cases, which holds no answers that could be compared, either, and
    for one of several servers.
    """
    if os.path.isdir(path) or stores.is_stored(path) or (path == "-" and sys.stdin is None):
        return None
    try:
        blocks = _blocks(path)
        head = next(blocks)
        if b'"report_version"' not in as_utf_8(head):
            return Blocks(chain((head,), blocks)) if path == "-" or not os.path.isfile(path) else None
        data = b"".join((head, *islice(blocks, LARGEST_DOCUMENT // _BLOCK)))
    except OSError:
        return None
    name = name_of(path)
    servers = probe_reports.parse(name, data)
    if len(servers) != 1:
        raise click.UsageError(f"{name} is about {count_of(len(servers), 'server')}: reports of one each are compared")
    return Report(path, servers[0])


def _blocks(path: str) -> Iterator[bytes]:
    """Yield the first bytes of a file or of standard input, in which a report says that it is one, then the others."""
    with open(path, "rb") if path != "-" else nullcontext(sys.stdin.buffer) as stream:
        yield read_fully(stream, _HEAD)
        yield from iter(lambda: stream.read(_BLOCK), b"")


def compare_reports(before: Report, after: Report) -> Comparison:
    """Compare two reports: return what changed from the first to the second.

    A case that is inconclusive in the second does not show whether it changed: it is left out there, like one that was
    not sent. So are the rules that are broken only in cases without a partner.
    """
    known = {case: standing for case, standing in after.server.standings.items() if standing != "inconclusive"}
    standings = before.server.standings, known
    common = standings[0].keys() & standings[1].keys()
    changes = [*_case_changes(*standings), *_rule_changes(before, after, common)]
    changes.sort(key=lambda change: -change.severity)
    recordings = [Recording(name_of(report.path), files=1) for report in (before, after)]
    sizes = len(standings[0]), len(standings[1])
    return Comparison(
        question="changes",
        recordings=recordings,
        groups=len(common),
        paired_by="name",
        alone=(sizes[0] - len(common), sizes[1] - len(common)),
        changes=[Changes(Stratum("", ""), *sizes, changes)],
    )


def _case_changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    for case, was in before.items():
        now = after.get(case)
        if now is not None and now != was:
            message = f"{printable(was)} before, {printable(now)} now"
            severity = _CHANGE_SEVERITIES.get((was, now), Severity.NOTE)
            yield Change("case", severity, "case", case, message, Rate(1, 1), Rate(1, 1))


def _rule_changes(before: Report, after: Report, cases: Collection[str]) -> Iterator[Change]:
    """Yield a change for each rule at a path that only one of the reports breaks in cases that both have."""
    severities = {seen: one for findings in after.server.findings.values() for seen, one in findings.items()}
    was, now = before.broken(cases), after.broken(cases)
    never = Rate(0, len(cases))
    for seen in sorted(was.keys() ^ now.keys()):
        severity = severities[seen] if seen in now else Severity.NOTE
        message = f"{quote_name(seen.rule)} is {'new' if seen in now else 'gone'}"
        rates = was.get(seen, never), now.get(seen, never)
        yield Change("fault", severity, seen.kind, seen.path, message, *rates)
