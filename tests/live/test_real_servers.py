"""Tests with real servers: a probe of each finds the findings that are known in it, and no others.

They run only with ``pytest -m live tests/live``, because they need the network and take minutes. With ``-s``, the
scorecards are printed. Each server has a TOML file in ``servers`` (see ``real_servers.py``). A server that cannot be
installed or started here is skipped, and the reason is shown.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import real_servers as servers

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")
MODEL = Path(os.environ.get("ISOGLOSS_MODEL") or ROOT.parent / "shared" / "servers" / "model")
"""The folder with the model. Without it, servers that need a model are skipped."""
ANSWER_TIMEOUT = 60
"""Seconds that one answer may take. Some of these servers run their models on few cores."""


@pytest.mark.parametrize("name", servers.server_names())
def test_a_probe_of_a_server_finds_its_known_findings_and_no_others(name: str, tmp_path: Path) -> None:
    server = servers.load_server(name)
    try:
        with servers.run_server(server, MODEL if MODEL.is_dir() else None) as url:
            result = _probe(server, url, MODEL, tmp_path)
    except servers.ServerUnavailable as reason:
        pytest.skip(f"{name}: {reason}")
    print(f"\n{name}\n{result.stdout}")
    assert (result.returncode, result.stderr) == (1, "")
    report = _check(tmp_path)
    severities = {
        " ".join(filter(None, (finding["rule"], *_kind_and_path(finding)))): finding["severity"]
        for finding in report["findings"]
    }
    counts = ", ".join(f"{count} {severity}s?" for severity, count in report["summary"]["findings"].items() if count)
    assert re.search(f"{counts}$", result.stdout, re.MULTILINE)
    severe_findings = {finding for finding, severity in severities.items() if severity != "note"}
    assert severe_findings - {*server.known, *server.sometimes} == set()
    assert set(server.known) - severities.keys() == set()


def _probe(server: servers.Server, url: str, model: Path, record: Path) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "probe", url, "--model", server.model.replace("{model}", str(model)), "--record", str(record)]
    command += ["--timeout", str(ANSWER_TIMEOUT), "--deadline", "600"]
    command += ["--skip", ",".join(server.skip)] if server.skip else []
    environment = {**os.environ, "OPENAI_API_KEY": servers.KEY}
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def _check(record: Path) -> dict:
    command = [*COMMAND, "check", record, "--format", "json"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return json.loads(result.stdout)


def _kind_and_path(finding: dict[str, str]) -> tuple[str, str]:
    return (finding["kind"], finding["path"]) if finding["path"] else ("", "")
