"""Compare two JSON reports of ``isogloss probe``: cases that end otherwise now, and rules that are broken now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.cli import inputs
from isogloss.cli.comparisons.comparison import Comparison, Recording
from isogloss.validator.captures.capture import LARGEST_DOCUMENT
from isogloss.validator.comparing.changes import Change, Changes
from isogloss.validator.comparing.rates import Rate
from isogloss.validator.comparing.strata import Stratum
from isogloss.validator.decode import decode
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import name, printable
from isogloss.validator.views import items, string

__all__ = ["Report", "compared", "read"]

_SEVERITIES = {
    ("conforms", "deviates"): Severity.ERROR,
    ("conforms", "unsupported"): Severity.ERROR,
    ("unsupported", "deviates"): Severity.WARNING,
    ("inconclusive", "deviates"): Severity.WARNING,
}
"""How severe another end of a case is; all others are notes."""


_SEVERITY = {severity.label: severity for severity in Severity}


class _Broken(NamedTuple):
    rule: str
    kind: str
    path: str


class Report(NamedTuple):
    """What each case ended as, and the cases that break each rule at a path, with its severity."""

    path: str
    standings: Mapping[str, str]
    broken: Mapping[_Broken, set[str]]
    severities: Mapping[_Broken, Severity]


def read(path: str) -> Report | None:
    """Read the report in a file. Return ``None`` if the file is not a report, is too large, or cannot be read."""
    file = Path(path)
    if not file.is_file() or file.stat().st_size > LARGEST_DOCUMENT:
        return None
    try:
        data = file.read_bytes()
    except OSError:
        return None  # whoever reads it as a capture says why it cannot be read
    if b'"report_version"' not in data[:100]:
        return None
    report, _ = decode(data)
    if not isinstance(report, dict) or not isinstance(report.get("cases"), list):
        return None
    standings = {
        case: standing
        for _, one in items(report["cases"])
        if (case := string(one.get("name"))) is not None and (standing := string(one.get("standing"))) is not None
    }
    broken: dict[_Broken, set[str]] = {}
    severities: dict[_Broken, Severity] = {}
    for _, finding in items(report.get("findings")):
        found = _Broken(*(str(finding.get(key, "")) for key in ("rule", "kind", "path")))
        source: Any = finding.get("source")
        broken.setdefault(found, set()).add(str(source.get("file", "")) if isinstance(source, dict) else "")
        severities[found] = _SEVERITY.get(str(finding.get("severity")), Severity.NOTE)
    return Report(path, standings, broken, severities)


def compared(before: Report, after: Report) -> Comparison:
    """Compare two reports: return what changed from the first to the second."""
    both = before.standings.keys() & after.standings.keys()
    found = sorted([*_cases(before, after), *_faults(before, after)], key=lambda change: -change.severity)
    recordings = [Recording(inputs.name_of(one.path), files=1) for one in (before, after)]
    sizes = len(before.standings), len(after.standings)
    return Comparison(
        question="changes",
        recordings=recordings,
        groups=len(both),
        way="name",
        alone=(sizes[0] - len(both), sizes[1] - len(both)),
        changes=[Changes(Stratum("", ""), *sizes, found)],
    )


def _cases(before: Report, after: Report) -> Iterator[Change]:
    for case, was in before.standings.items():
        now = after.standings.get(case)
        if now is not None and now != was:
            told = f"{printable(was)} before, {printable(now)} now"
            severity = _SEVERITIES.get((was, now), Severity.NOTE)
            yield _change("case", severity, "case", case, told, Rate(1, 1), Rate(1, 1))


def _faults(before: Report, after: Report) -> Iterator[Change]:
    for one in sorted({*before.broken, *after.broken}):
        was = Rate(len(before.broken.get(one, ())), len(before.standings))
        now = Rate(len(after.broken.get(one, ())), len(after.standings))
        if not was.seen:
            yield _change("fault", after.severities[one], one.kind, one.path, f"{name(one.rule)} is new", was, now)
        elif not now.seen:
            yield _change("fault", Severity.NOTE, one.kind, one.path, f"{name(one.rule)} is gone", was, now)


def _change(change: str, severity: Severity, kind: str, path: str, told: str, was: Rate, now: Rate) -> Change:
    return Change(change, severity, kind, path, told, was, now, None, None)
