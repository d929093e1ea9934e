"""Report to GitLab Code Quality: write the array of issues that a merge request shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO

from isogloss.cli.checking.fingerprints import relative_path, with_fingerprints
from isogloss.cli.checking.summary import Run
from isogloss.cli.elements.indented_json import write_document
from isogloss.cli.reporters.text import message, seen_to_break
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.quoting import printable

__all__ = ["report"]

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def report(run: Run, out: TextIO) -> None:
    """Write one JSON array."""
    issues = [
        _issue(finding, fingerprint, show_impact=run.settings.show_impact)
        for finding, fingerprint in with_fingerprints(run.findings)
    ]
    write_document(issues, out)


def _issue(finding: Finding, fingerprint: str, *, show_impact: bool) -> dict[str, Any]:
    broken_clients = seen_to_break(finding) if show_impact else ""
    return {
        "description": message(finding) + (f"; {broken_clients}" if broken_clients else ""),
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": printable(relative_path(finding.source.file, Path.cwd())),
            "lines": {"begin": finding.source.line},
        },
    }
