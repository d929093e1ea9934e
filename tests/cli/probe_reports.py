"""Read the reports of a probe in JSON, and check the answers that it recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from isogloss.cli.main import cli

JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def read_standings(report: str) -> dict[str, str]:
    """Return the standing of each case by its name."""
    return {case["name"]: case["standing"] for case in json.loads(report)["cases"]}


def read_findings(report: str) -> list[str]:
    """Return the findings of a report as text, sorted."""
    return sorted(json.dumps(finding, sort_keys=True) for finding in json.loads(report)["findings"])


def check(*arguments: str | Path) -> Result:
    """Run ``isogloss check``."""
    return CliRunner().invoke(cli, ["check", *map(str, arguments)])


def stay_silent(request: Any) -> None:
    """Give no answer to a request."""
    request.wait(30)
