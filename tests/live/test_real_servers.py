"""Real servers, installed from the package registries and probed: what is known of each is found, and nothing else.

Opt-in, for it takes the network and minutes: ``pytest -m live tests/live -s`` prints the scorecards. A server is a TOML
file in ``servers`` (see ``real_servers.py``); one that cannot be installed or started here is skipped, and says why.
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
"""The folder with the model; without it, servers that need one are skipped."""
ANSWERING = 60
"""Seconds that one answer may take: some of these servers share few cores with the models that they serve."""


@pytest.mark.parametrize("name", servers.names())
def test_what_is_known_of_a_server_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    server = servers.named(name)
    try:
        with servers.running(server, MODEL if MODEL.is_dir() else None) as url:
            done = _probe(server, url, MODEL, tmp_path)
    except servers.Unavailable as reason:
        pytest.skip(f"{name}: {reason}")
    print(f"\n{name}\n{done.stdout}")
    assert (done.returncode, done.stderr) == (1, "")
    report = _check(tmp_path)
    found = {" ".join(filter(None, (one["rule"], *_place(one)))): one["severity"] for one in report["findings"]}
    counts = ", ".join(f"{count} {severity}s?" for severity, count in report["summary"]["findings"].items() if count)
    assert re.search(f"{counts}$", done.stdout, re.MULTILINE)
    severe = {what for what, severity in found.items() if severity != "note"}
    assert severe - {*server.known, *server.sometimes} == set()
    assert set(server.known) - found.keys() == set()


def _probe(server: servers.Server, url: str, model: Path, record: Path) -> subprocess.CompletedProcess[str]:
    run = [*COMMAND, "probe", url, "--model", server.model.replace("{model}", str(model)), "--record", str(record)]
    run += ["--timeout", str(ANSWERING), "--deadline", "600"]
    run += ["--skip", ",".join(server.skip)] if server.skip else []
    environment = {**os.environ, "OPENAI_API_KEY": servers.KEY}
    return subprocess.run(run, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def _check(record: Path) -> dict:
    check = [*COMMAND, "check", record, "--format", "json"]
    done = subprocess.run(check, cwd=ROOT, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def _place(finding: dict[str, str]) -> tuple[str, str]:
    return (finding["kind"], finding["path"]) if finding["path"] else ("", "")
