"""Write SARIF 2.1.0 (OASIS standard with errata 01) for code scanning, and for editors that show it with a capture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from isogloss.cli.checking.fingerprints import relative_path, with_fingerprints
from isogloss.cli.checking.summary import Run
from isogloss.cli.descriptions.clients_tables import rule_section
from isogloss.cli.descriptions.site import rule_address
from isogloss.cli.elements.indented_json import write_indented
from isogloss.cli.reporters.json_report import dialects
from isogloss.cli.reporters.text import message, rates_as_text, seen_to_break
from isogloss.validator import rules
from isogloss.validator.exchange import Skipped
from isogloss.validator.findings import Finding, Severity
from isogloss.validator.impact.evidence import evidence
from isogloss.validator.quoting import printable

__all__ = ["report", "write"]

_FINGERPRINT = "isogloss/v1"


def report(run: Run, out: TextIO) -> None:
    """Write the log of a run as one indented JSON document."""
    write([run], out)


def write(runs: Sequence[Run], out: TextIO, *, names: Sequence[str] = ()) -> None:
    """Write the log of some runs as one indented JSON document. ``names`` holds a name for each of several runs."""
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [_run(run, name) for run, name in zip_longest(runs, names)],
    }
    write_indented(log, "results", 3, [_results(run) for run in runs], out)


def _run(run: Run, name: str | None) -> dict[str, Any]:
    """Return a run with the rules that have results, but without the results.

    Its name distinguishes it from the other runs of the same log (3.17).
    """
    folder = Path.cwd()
    return {
        **({"automationDetails": {"id": f"isogloss/{name}/"}} if name is not None else {}),
        "tool": {
            "driver": {
                "name": "isogloss",
                "semanticVersion": version("isogloss"),
                "rules": [_rule(*found, run.settings.clients) for found in _rules_found(run).items()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": bool(run.exchanges),
                **({"exitCodeDescription": "; ".join(rates)} if (rates := rates_as_text(run)) else {}),
                "toolExecutionNotifications": [_notification(skip, folder) for skip in run.skipped],
            }
        ],
        **({"properties": {"dialects": dialects(run)}} if run.dialects else {}),
        "results": [],
    }


def _rules_found(run: Run) -> dict[str, Severity]:
    """Return the rules that have results, sorted by name, each with the highest severity of its results."""
    return dict(sorted({(finding.rule, finding.severity) for finding in run.findings}))


def _results(run: Run) -> Iterator[dict[str, Any]]:
    folder = Path.cwd()
    numbers = {rule: number for number, rule in enumerate(_rules_found(run))}
    for finding, fingerprint in with_fingerprints(run.findings):
        yield _result(finding, fingerprint, numbers, folder)


def _rule(name: str, found: Severity, clients: tuple[str, ...]) -> dict[str, Any]:
    """Return a rule. One of the user's own has no severity but that of its results, which is configured."""
    rule, address = rules.rule(name), rule_address(name)
    severity = found if rules.group_of(name) == rules.EXPECTED else rule.severity
    page = "\n\n".join(filter(None, (rules.page(name), rule_section(name, evidence(clients)))))
    return {
        "id": name,
        **({"helpUri": address} if address else {}),
        "shortDescription": {"text": _escape(rule.summary)},
        "fullDescription": {"text": _escape(rule.summary)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": severity.label},
        "properties": {"tags": [rules.group_of(name)]},
    }


def _result(finding: Finding, fingerprint: str, numbers: dict[str, int], folder: Path) -> dict[str, Any]:
    source = finding.source
    broken_clients = seen_to_break(finding)
    pointer = printable(finding.pointer)
    return {
        "ruleId": finding.rule,
        "ruleIndex": numbers[finding.rule],
        "level": finding.severity.label,
        "message": {"text": _escape(message(finding))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(source.file, folder)},
                    "region": {"startLine": source.line, "startColumn": source.column},
                },
                "logicalLocations": [{"fullyQualifiedName": f"{finding.kind}{pointer}"}],
            }
        ],
        "occurrenceCount": finding.count,
        "partialFingerprints": {_FINGERPRINT: fingerprint},
        "properties": {"exchange": source.exchange, "event": source.event, "explainedBy": list(finding.explained_by)}
        | ({"impact": broken_clients} if broken_clients else {}),
    }


def _notification(skip: Skipped, folder: Path) -> dict[str, Any]:
    return {
        "level": "note",
        "message": {"text": _escape(f"skipped: {printable(skip.reason)}")},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(skip.file, folder)}}}],
    }


@lru_cache(1024)
def _uri(file: str, folder: Path) -> str:
    """Return a relative reference for a file below a folder, else a file URI. Both are percent-encoded."""
    path = relative_path(file, folder)
    if path.startswith("../"):
        path = Path(os.path.abspath(file)).as_posix()
    encoded = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return f"file://{encoded}" if encoded.startswith("/") else encoded


def _escape(text: str) -> str:
    """Escape a text for a SARIF message (3.11): braces are doubled, and no bracket begins an embedded link."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return doubled.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in doubled else doubled
