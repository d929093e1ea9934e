"""Write the JSON report, version 1. Its schema is ``isogloss/schemas/report/v1.json``."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, TextIO

from isogloss.cli.checking.probed import ProbedCase
from isogloss.cli.checking.summary import BaselineUse, Run
from isogloss.cli.elements.indented_json import write_indented
from isogloss.validator.exchange import Skipped, count_skipped
from isogloss.validator.findings import Finding, Impact, Severity, Source
from isogloss.validator.impact.words import describe_impact
from isogloss.validator.quoting import printable

__all__ = ["description", "document", "entry", "place", "report", "skipped", "summary"]


def report(run: Run, out: TextIO) -> None:
    """Write the report as one indented JSON document."""
    write_indented(_document(run), "findings", 1, [map(entry, run.findings)], out)


def document(run: Run) -> dict[str, Any]:
    """Return the report as a JSON value."""
    return _document(run) | {"findings": [entry(finding) for finding in run.findings]}


def _document(run: Run) -> dict[str, Any]:
    """Return the report as a JSON value, with an empty list of findings."""
    report: dict[str, Any] = {
        "report_version": 1,
        "summary": summary(run),
        "findings": [],
        "dialects": dialects(run),
        "skipped": [skipped(skip) for skip in run.skipped],
    }
    if run.cases is not None:
        report["cases"] = [_case(case) for case in run.cases]
    return report if run.known is None else report | {"baseline": _baseline(run.known)}


def dialects(run: Run) -> list[dict[str, Any]]:
    """Return the dialects that the exchanges speak as a JSON value, those of most exchanges first."""
    return [
        {
            "slug": slug,
            "exchanges": spoken.exchanges,
            "sure": spoken.sure,
            "explained": spoken.explained,
            "unexplained": spoken.unexplained,
            **({"relaying": dict(sorted(spoken.relaying.items()))} if spoken.relaying else {}),
            **({"nearest": dict(sorted(spoken.nearest.items()))} if spoken.nearest else {}),
        }
        for slug, spoken in sorted(run.dialects.items(), key=lambda item: (-item[1].exchanges, item[0]))
    ]


def summary(run: Run) -> dict[str, Any]:
    """Return the counts and the verdict as a JSON value."""
    return {
        "files": run.files,
        "skipped": count_skipped(run.skipped),
        "exchanges": run.exchanges,
        "payloads": {kind: run.payloads.get(kind, 0) for kind in ("request", "completion", "chunk", "error")},
        "streams": run.streams,
        "findings": {severity.label: run.severities.get(severity, 0) for severity in sorted(Severity, reverse=True)},
        "unexplained": run.unexplained,
        "rates": [
            {"rule": rate.rule, "exchanges": rate.exchanges, "of": rate.of}
            | ({"limit_percent": run.settings.limits[rate.rule]} if rate.rule in run.settings.limits else {})
            for rate in run.rates.all()
        ],
        "verdict": run.verdict,
    }


def _case(case: ProbedCase) -> dict[str, Any]:
    counts = Counter(finding.severity for finding in case.findings)
    return {
        "name": case.name,
        "group": case.group,
        "what": case.what,
        "tests": case.tests,
        "why": case.why,
        "thread": case.thread,
        "standing": case.standing,
        "meaning": case.meaning,
        "reason": printable(case.reason),
        "seconds": round(case.seconds, 3),
        **(
            {}
            if case.repeated is None
            else {
                "repeated": case.repeated._asdict()
                | {"low": round(case.repeated.low, 4), "high": round(case.repeated.high, 4)}
            }
        ),
        "findings": {severity.label: counts[severity] for severity in sorted(Severity, reverse=True)},
        "answers": [
            {
                "status": answer.status,
                "first_byte_seconds": None if answer.first_byte is None else round(answer.first_byte, 3),
                "seconds": round(answer.seconds, 3),
                "bytes": answer.size,
                "request": answer.request,
                "answer": answer.answer,
            }
            for answer in case.answers
        ],
    }


def _baseline(known: BaselineUse) -> dict[str, Any]:
    return {
        "file": printable(known.file),
        "known": known.findings,
        "gone": [
            {name: printable(part) for name, part in key._asdict().items()} | {"count": count}
            for key, count in known.gone
        ],
    }


def skipped(skip: Skipped) -> dict[str, Any]:
    """Return one skipped part as a JSON value."""
    entry: dict[str, Any] = {"file": printable(skip.file), "reason": printable(skip.reason)}
    return entry if skip.number is None else entry | {"exchange": skip.number}


def place(source: Source) -> dict[str, Any]:
    """Return the place of a finding as a JSON value."""
    result = {
        "file": printable(source.file),
        "line": source.line,
        "column": source.column,
        "exchange": source.exchange,
        "event": source.event,
    }
    return result if source.row_group is None else result | {"row_group": source.row_group}


def description(finding: Finding) -> dict[str, Any]:
    """Return what a finding says and where as a JSON value, which other reports go on with."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.label,
        "message": finding.message,
        "kind": finding.kind,
        "path": printable(finding.path),
        "pointer": printable(finding.pointer),
        "source": place(finding.source),
    }


def entry(finding: Finding) -> dict[str, Any]:
    """Return one finding as a JSON value."""
    optional: dict[str, Any] = {} if finding.value is None else {"value": finding.value}
    if finding.impact is not None and finding.impact.breaks:
        optional["impact"] = _impact(finding.impact)
    return {
        **description(finding),
        "schema": finding.schema,
        "count": finding.count,
        "explained_by": list(finding.explained_by),
        **optional,
    }


@lru_cache(1024)  # findings with the same evidence share this value, and no caller changes it
def _impact(impact: Impact) -> dict[str, Any]:
    """Return what clients were seen to do as a JSON value: in one line, and with the names of the clients."""
    return {
        "text": describe_impact(impact),
        "clients": list(dict.fromkeys(seen.client for seen in impact.breaks)),
        "cases": impact.cases,
    }
