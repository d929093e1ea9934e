"""Real servers, installed from the package registries and probed: what is known of each is found, and nothing else.

Opt-in, for it takes the network and a minute: ``pytest -m live tests/live -s`` prints the scorecards.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")
KEY = "sk-test"
INSTALLING = 300
"""Seconds that the installation and the start of a server may take."""

# What the notes on these servers say of them, as the rules name it: every error and warning, and no other.
KNOWN = {
    "xllamacpp": (
        "tiny",
        {
            "wrong-type error error.code",  # a number
            "bad-request-accepted",  # 200 for an unknown model and a temperature of 99
            "stream-created-changed chunk created",  # of a stream that goes on for more than a second
        },
        {
            "unknown-property completion timings",
            "documented-property-absent completion choices[].message.refusal",
            "documented-property-absent completion choices[].logprobs",
            "documented-property-absent completion choices[].logprobs.refusal",
            "documented-property-absent error error.param",
            "unknown-property completion choices[].logprobs.content[].id",
            "wrong-type error error.code",
            "bad-request-accepted",
        },
    ),
    "aimock": (
        "gpt-4o",
        {
            "calls-despite-none completion choices[].message.tool_calls[]",
            "choice-count-mismatch completion choices",
            "stop-sequence-in-content completion choices[].message.content",
            "logprobs-missing completion choices[].logprobs",
            "token-limit-exceeded completion usage.completion_tokens",
            "bad-request-accepted",
        },
        {
            "choice-count-mismatch completion choices",
            "stop-sequence-in-content completion choices[].message.content",
            "logprobs-missing completion choices[].logprobs",
            "token-limit-exceeded completion usage.completion_tokens",
            "usage-null-missing chunk usage",
            "documented-property-absent error error.param",
            "documented-property-absent error error.code",
            "bad-request-accepted",
        },
    ),
    "fastapi-openai-compat": (
        "demo",
        {
            "null-value completion choices[].message.tool_calls",
            "null-value completion usage",
            "null-value chunk choices[].delta.tool_calls",
            "done-missing",
            "asked-usage-missing",
            "forced-call-missing completion choices[].message.tool_calls",
            "choice-count-mismatch completion choices",
            "content-not-json completion choices[].message.content",
            "stop-sequence-in-content completion choices[].message.content",
            "error-shape",
            "message-beside-delta chunk choices[].message",
            "role-repeated chunk choices[].delta.role",
            "logprobs-missing completion choices[].logprobs",
            "unexpected-status",
            "bad-request-accepted",
        },
        {
            "done-missing",
            "unknown-property completion choices[].delta",
            "message-beside-delta chunk choices[].message",
            "role-repeated chunk choices[].delta.role",
            "error-shape",
            "unexpected-status",
            "wrong-format completion id",
            "bad-request-accepted",
        },
    ),
}
"""For each server its model, the errors and warnings that may be found, and the findings that have to be."""


@contextmanager
def running(script: Path, port: int) -> Iterator[None]:
    """The server that a script starts on a port."""
    log = subprocess.DEVNULL
    with subprocess.Popen(["bash", script, str(port)], stdout=log, stderr=log, start_new_session=True) as process:
        try:
            end = time.monotonic() + INSTALLING
            while process.poll() is None and time.monotonic() < end:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.2)
            else:
                pytest.skip(f"{script.parent.name} cannot be started here")
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_of_a_server_is_found_and_nothing_else(name: str, shared: Path, tmp_path: Path) -> None:
    model, possible, certain = KNOWN[name]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with running(shared / "servers" / name / "run.sh", port):
        url = f"http://127.0.0.1:{port}/v1"
        run = [*COMMAND, "probe", url, "--model", model, "--record", str(tmp_path)]
        environment = {**os.environ, "OPENAI_API_KEY": KEY}
        done = subprocess.run(run, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    print(f"\n{name}\n{done.stdout}")
    assert (done.returncode, done.stderr) == (1, "")
    offline = subprocess.run(
        [*COMMAND, "check", tmp_path, "--format", "json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    report = json.loads(offline.stdout)
    found = {" ".join(filter(None, (one["rule"], *_place(one)))): one["severity"] for one in report["findings"]}
    counts = ", ".join(f"{count} {severity}s?" for severity, count in report["summary"]["findings"].items())
    assert re.search(f"{counts}$", done.stdout, re.MULTILINE)
    assert {what for what, severity in found.items() if severity != "note"} <= possible
    assert certain <= found.keys()


def _place(finding: dict[str, str]) -> tuple[str, str]:
    return (finding["kind"], finding["path"]) if finding["path"] else ("", "")
