"""Read the JSON reports of ``isogloss probe``: how each case ended, and which findings it had."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import click

from isogloss.cli.configuration.named_files import NamedJson, parse_json, read_json
from isogloss.validator.findings import SEVERITIES, Finding, Severity
from isogloss.validator.quoting import printable
from isogloss.validator.secrets import mask_unescaped

__all__ = ["FindingKey", "ProbeReport", "parse", "read"]


_WHAT = "the report"


class FindingKey(NamedTuple):
    """What identifies a finding from report to report: its rule, and the path in a kind of payload."""

    rule: str
    kind: str
    path: str

    @classmethod
    def of_finding(cls, finding: Finding) -> FindingKey:
        """Take the rule, the kind and the path from a finding."""
        return cls(finding.rule, finding.kind, printable(finding.path))

    def __str__(self) -> str:
        return f"[{self.rule}] {self.kind} {self.path}".rstrip()


class ProbeReport(NamedTuple):
    """A server in a report: the standing and the findings of each case. A server that was alone has no name."""

    name: str | None
    url: str | None
    standings: Mapping[str, str]
    findings: Mapping[str, Mapping[FindingKey, Severity]]


def read(path: Path) -> list[ProbeReport]:
    """Read the servers of a report. Raises ``click.UsageError`` if the file is unreadable or no report of a probe."""
    return _servers(read_json(path, _WHAT))


def parse(name: str, data: bytes) -> list[ProbeReport]:
    """Return the servers of a report that was read. Raises ``click.UsageError`` if it is no report of a probe."""
    return _servers(parse_json(name, data, _WHAT))


def _servers(file: NamedJson) -> list[ProbeReport]:
    data: Any = mask_unescaped(file.data, file.value)
    try:
        if "servers" in data:
            return [_report(server["report"], server["name"], server["url"]) for server in data["servers"]]
        return [_report(data, None, None)]
    except (KeyError, TypeError, AttributeError):
        raise click.UsageError(f"{file.name} is not a JSON report of isogloss probe") from None


def _report(report: Mapping[str, Any], name: str | None, url: str | None) -> ProbeReport:
    standings = {str(case["name"]): str(case["standing"]) for case in report["cases"]}
    findings: dict[str, dict[FindingKey, Severity]] = {}
    for finding in report["findings"]:
        seen = FindingKey(str(finding["rule"]), str(finding["kind"]), str(finding["path"]))
        case = _case_of_file(str(finding["source"]["file"]), standings)
        findings.setdefault(case, {})[seen] = SEVERITIES[finding["severity"]]
    return ProbeReport(name, url, standings, findings)


def _case_of_file(file: str, cases: Mapping[str, str]) -> str:
    """Return the case whose answer is in a file. The file is named after its case: ``seed-1.json``."""
    stem = case = PurePosixPath(file).stem
    while case not in cases and "-" in case:
        case = case.rpartition("-")[0]
    return case if case in cases else stem
