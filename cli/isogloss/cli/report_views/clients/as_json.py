"""Render the view of clients as JSON, version 1. Its schema is ``isogloss/schemas/report/clients-v1.json``."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict

from isogloss.cli.report_views.clients.counts import ClientView, DeviationForm, FoundDeviation
from isogloss.cli.reporters.json_report import place
from isogloss.validator.exchange import count_skipped
from isogloss.validator.quoting import printable

__all__ = ["document"]


def document(view: ClientView) -> dict[str, Any]:
    """Return the report as a JSON value."""
    return {
        "clients_report_version": 1,
        "summary": {
            "files": view.files,
            "exchanges": view.exchanges,
            "skipped": count_skipped(view.skipped),
            "seen_to_break": view.broken,
            "evidence_on": list(view.clients),
        },
        "clients": [
            called._asdict()
            | {
                "exchanges": broken.exchanges,
                "outcomes": {name: broken.outcomes[name] for name in ("raises", "silent", "hangs")},
                "deviations": len(broken.deviations),
            }
            for called, broken in view.by_client()
        ],
        "seen_to_break": [_entry(*found) for found in view.breaking()],
        "nothing_seen": [_entry(*found) for found in view.unbroken()],
        "not_known": [_entry(*found) for found in view.untried()],
    }


def _entry(deviation: DeviationForm, found: FoundDeviation) -> dict[str, Any]:
    """Return a deviation as a JSON value, with the evidence on it if there is any."""
    entry: dict[str, Any] = {
        "rule": deviation.rule,
        "severity": found.severity.label,
        "kind": deviation.kind,
        "path": printable(deviation.path),
        "exchanges": found.exchanges,
        "first": place(found.first.source),
    }
    if found.impact is not None:
        entry |= {"form": found.impact.form, "cases": found.impact.cases, "runs": found.impact.tried}
        entry["breaks"] = [asdict(each) | {"seen": list(each.seen)} for each in found.breaks]
    return entry
