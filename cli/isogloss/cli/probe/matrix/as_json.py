"""Write the JSON report of several servers, version 1. Its schema is ``isogloss/schemas/report/servers-v1.json``.

For a single server, it is the JSON report of every run, with the changes if ``--since`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TextIO

from isogloss.cli.checking.probe_reports import FindingKey
from isogloss.cli.elements.indented_json import write_document
from isogloss.cli.probe.matrix.changes import sort_changes
from isogloss.cli.probe.matrix.server import CaseChange, Probed, ProbedServer
from isogloss.cli.probe.matrix.table import rows
from isogloss.cli.reporters import json_report
from isogloss.validator.findings import Severity
from isogloss.validator.quoting import printable

__all__ = ["document", "report"]


def report(probed: Probed, out: TextIO) -> None:
    """Write the report as one indented JSON document."""
    write_document(document(probed), out)


def document(probed: Probed) -> dict[str, Any]:
    """Return the report as a JSON value."""
    servers = probed.servers
    if len(servers) == 1:
        return json_report.document(servers[0].run) | _changes(servers[0], probed)
    return {
        "report_version": 1,
        "servers": [_server(server, probed) for server in servers],
        "matrix": [
            {
                "case": row.name,
                "what": row.what,
                "standings": {
                    server.name: None if cell is None else cell.standing
                    for server, cell in zip(servers, row.cells, strict=True)
                },
            }
            for row in rows(servers)
        ],
    }


def _server(server: ProbedServer, probed: Probed) -> dict[str, Any]:
    return {
        "name": server.name,
        "url": printable(server.url),
        "model": printable(server.model),
        "dialect": server.dialect,
        "conforming": server.conforming,
        "cases": len(server.cases),
        **_changes(server, probed),
        "report": json_report.document(server.run),
    }


def _changes(server: ProbedServer, probed: Probed) -> dict[str, Any]:
    if probed.since is None:
        return {}
    changes = None if server.changes is None else [_change(change) for change in sort_changes(server.changes)]
    return {"since": printable(probed.since), "changes": changes}


def _change(change: CaseChange) -> dict[str, Any]:
    return {
        "case": change.case,
        "before": change.before,
        "now": change.now,
        "direction": change.direction,
        "failed": change.failed,
        "new": _findings(change.new),
        "gone": _findings(change.gone),
    }


def _findings(findings: Mapping[FindingKey, Severity]) -> list[dict[str, str]]:
    return [seen._asdict() | {"severity": findings[seen].label} for seen in sorted(findings)]
