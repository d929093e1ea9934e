"""Compare two JSON reports of ``isogloss probe``: cases that end differently, and rules that only one run breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from isogloss.cli.comparisons.comparison import Comparison, Recording
from isogloss.cli.configuration.paths import display_path
from isogloss.cli.reading import inputs
from isogloss.validator.captures.capture import LARGEST_DOCUMENT
from isogloss.validator.comparing.changes import Change, Changes
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.strata import Stratum
from isogloss.validator.decode import decode
from isogloss.validator.findings import SEVERITIES, Severity
from isogloss.validator.quoting import printable, quote_name
from isogloss.validator.views import items, string

__all__ = ["Report", "compare_reports", "read"]

_CHANGE_SEVERITIES = {
    ("conforms", "deviates"): Severity.ERROR,
    ("conforms", "unsupported"): Severity.ERROR,
    ("unsupported", "deviates"): Severity.WARNING,
    ("inconclusive", "deviates"): Severity.WARNING,
}
"""The severity of a change from the first standing of a case to the second. All other changes are notes."""


class _BrokenRule(NamedTuple):
    rule: str
    kind: str
    path: str


class Report(NamedTuple):
    """The standing of each case, and for each rule at a path, the cases that break it and its severity."""

    path: str
    standings: Mapping[str, str]
    broken: Mapping[_BrokenRule, set[str]]
    severities: Mapping[_BrokenRule, Severity]


def read(path: str) -> Report | None:
    """Read the report in a file. Return ``None`` if the file is not a report, is too large, or cannot be read.

    Raises ``click.UsageError`` for a report without cases, which holds no answers that could be compared, either.
    """
    file = Path(path)
    if not file.is_file() or file.stat().st_size > LARGEST_DOCUMENT:
        return None
    try:
        data = file.read_bytes()
    except OSError:
        return None  # it is then read as a capture, which reports the reason
    if b'"report_version"' not in data[:100]:
        return None
    report, _ = decode(data)
    if not isinstance(report, dict):
        return None
    if not isinstance(report.get("cases"), list):
        raise click.UsageError(
            f"{display_path(path)} is no report of isogloss probe on one server: compare two such reports, or captures"
        )
    standings = {
        case: standing
        for _, case_entry in items(report["cases"])
        if (case := string(case_entry.get("name"))) is not None
        and (standing := string(case_entry.get("standing"))) is not None
    }
    broken: dict[_BrokenRule, set[str]] = {}
    severities: dict[_BrokenRule, Severity] = {}
    for _, finding in items(report.get("findings")):
        broken_rule = _BrokenRule(*(str(finding.get(key, "")) for key in ("rule", "kind", "path")))
        source: Any = finding.get("source")
        broken.setdefault(broken_rule, set()).add(str(source.get("file", "")) if isinstance(source, dict) else "")
        severities[broken_rule] = SEVERITIES.get(str(finding.get("severity")), Severity.NOTE)
    return Report(path, standings, broken, severities)


def compare_reports(before: Report, after: Report) -> Comparison:
    """Compare two reports: return what changed from the first to the second."""
    common = before.standings.keys() & after.standings.keys()
    changes = sorted(
        [*_case_changes(before, after), *_rule_changes(before, after)], key=lambda change: -change.severity
    )
    recordings = [Recording(inputs.name_of(report.path), files=1) for report in (before, after)]
    sizes = len(before.standings), len(after.standings)
    return Comparison(
        question="changes",
        recordings=recordings,
        groups=len(common),
        paired_by="name",
        alone=(sizes[0] - len(common), sizes[1] - len(common)),
        changes=[Changes(Stratum("", ""), *sizes, changes)],
    )


def _case_changes(before: Report, after: Report) -> Iterator[Change]:
    for case, was in before.standings.items():
        now = after.standings.get(case)
        if now is not None and now != was:
            message = f"{printable(was)} before, {printable(now)} now"
            severity = _CHANGE_SEVERITIES.get((was, now), Severity.NOTE)
            yield _change("case", severity, "case", case, message, Rate(1, 1), Rate(1, 1))


def _rule_changes(before: Report, after: Report) -> Iterator[Change]:
    for broken in sorted({*before.broken, *after.broken}):
        was = Rate(len(before.broken.get(broken, ())), len(before.standings))
        now = Rate(len(after.broken.get(broken, ())), len(after.standings))
        if not was.seen:
            yield _change(
                "fault",
                after.severities[broken],
                broken.kind,
                broken.path,
                f"{quote_name(broken.rule)} is new",
                was,
                now,
            )
        elif not now.seen:
            yield _change(
                "fault", Severity.NOTE, broken.kind, broken.path, f"{quote_name(broken.rule)} is gone", was, now
            )


def _change(change: str, severity: Severity, kind: str, path: str, message: str, was: Rate, now: Rate) -> Change:
    return Change(change, severity, kind, path, message, was, now, None, None)
