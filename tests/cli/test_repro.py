"""``isogloss repro``: writes the smallest capture of a finding, in every form, and never over a file that is there."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.validator import check

Isogloss = Callable[..., Any]
ROOT = Path(__file__).parents[2]
CASSETTE = ROOT / "docs" / "examples" / "cassette.yaml"
FIXTURES = ROOT / "fixtures"
FORMS = ("file", "replay", "pytest", "markdown")

NC = """#!{python}
import socket, sys
server = socket.create_server((sys.argv[2], int(sys.argv[3])))
client, _ = server.accept()
sys.stdout.buffer.write(client.recv(1 << 20))
client.sendall(sys.stdin.buffer.read())
"""
"""What stands in for nc on a machine that has none."""


def answer(**members: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Yours sincerely, Elizabeth", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    whole = {"id": "chatcmpl-9Xq", "object": "chat.completion", "created": 1760000000, "model": "gpt-4o"}
    return whole | {"choices": [choice]} | members


def written(folder: Path, *values: Any) -> Path:
    path = folder / "capture.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def test_the_finding_that_is_asked_for_is_kept_in_a_small_file(isogloss: Isogloss, tmp_path: Path) -> None:
    target = tmp_path / "small.sse"
    done = isogloss("repro", CASSETTE, "--rule", "tool-call-name-repeated", "--output", target)
    assert (done.returncode, done.stdout) == (0, "")
    assert "tool-call-name-repeated, error at choices[].delta.tool_calls[].function.name of exchange 0" in done.stderr
    assert target.stat().st_size < 600
    checked = json.loads(isogloss("check", target, "--format", "json").stdout)
    kept = {(one["rule"], one["kind"], one["path"]) for one in checked["findings"]}
    assert ("tool-call-name-repeated", "chunk", "choices[].delta.tool_calls[].function.name") in kept


def test_standard_output_has_the_same_and_so_has_a_second_run(isogloss: Isogloss, tmp_path: Path) -> None:
    target = tmp_path / "small.sse"
    isogloss("repro", CASSETTE, "--output", target)
    first, second = isogloss("repro", CASSETTE), isogloss("repro", CASSETTE)
    assert first.stdout == second.stdout == target.read_text()


def test_without_a_rule_the_gravest_finding_counts(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = written(tmp_path, answer(created=0), answer(model=""), answer(model=5))
    assert "wrong-type, error at model of exchange 2" in isogloss("repro", capture).stderr


def test_exchange_and_place_choose_among_findings_of_a_rule(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = written(tmp_path, answer(model=5), answer(model=5, created="now"))
    for options, told in (
        (("--at", "created"), "at created of exchange 1"),
        (("--at", "/created"), "at created of exchange 1"),
        (("--at", "model", "--exchange", "1"), "at model of exchange 1"),
        ((), "at model of exchange 0"),
    ):
        assert f"wrong-type, error {told}" in isogloss("repro", capture, "--rule", "wrong-type", *options).stderr


def test_no_file_that_is_there_is_overwritten_unless_that_is_asked_for(isogloss: Isogloss, tmp_path: Path) -> None:
    there = tmp_path / "notes.txt"
    there.write_text("mine")
    done = isogloss("repro", CASSETTE, "--output", there)
    assert (done.returncode, there.read_text()) == (2, "mine")
    assert "is there already; --force overwrites it" in done.stderr
    assert isogloss("repro", CASSETTE, "--output", there, "--force").returncode == 0
    assert there.read_text().startswith("data: ")


def test_the_capture_itself_is_never_overwritten(isogloss: Isogloss, tmp_path: Path) -> None:
    capture, link = written(tmp_path, answer(model=5)), tmp_path / "link"
    link.symlink_to(capture)
    before = capture.read_bytes()
    for target in (capture, link):
        done = isogloss("repro", capture, "--output", target, "--force")
        assert done.returncode == 2
        assert "is the capture itself, which is never overwritten" in done.stderr
    assert capture.read_bytes() == before


def test_nothing_is_written_where_there_is_no_such_finding(isogloss: Isogloss, tmp_path: Path) -> None:
    capture, conforming, target = written(tmp_path, answer(model=5)), tmp_path / "conforming.json", tmp_path / "new"
    conforming.write_bytes((FIXTURES / "conforming" / "completion" / "text.json").read_bytes())
    for arguments, reason in (
        ((capture, "--rule", "usage-zero"), "no such finding; there are findings of usage-absent, wrong-type"),
        ((conforming, "--exchange", "0"), "no findings in exchange 0"),
        ((ROOT / "LICENSE",), "not a capture: no input format recognises it"),
    ):
        done = isogloss("repro", *arguments, "--output", target)
        assert (done.returncode, target.exists()) == (3, False)
        assert reason in done.stderr


def test_an_unknown_rule_is_told_with_the_nearest_one(isogloss: Isogloss) -> None:
    done = isogloss("repro", CASSETTE, "--rule", "usage-zeros")
    assert done.returncode == 2
    assert "did you mean 'usage-zero'?" in done.stderr


@pytest.mark.parametrize("form", FORMS)
def test_no_form_has_words_of_users_or_keys(isogloss: Isogloss, tmp_path: Path, form: str) -> None:
    key = "sk-proj-" + "b7Qz" * 10
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o"}
    pieces = ["Dear Elizabeth, ", key[:9], key[9:], " is yours"]
    deltas = [{"role": "assistant", "content": ""}, *({"content": one} for one in pieces)]
    choices = [{"index": 0, "delta": one, "finish_reason": None} for one in deltas]
    choices += [{"index": 0, "delta": {}, "finish_reason": "stop"}] * 2
    capture = tmp_path / "stream.sse"
    capture.write_text("".join(f"data: {json.dumps(event | {'choices': [one]})}\n\n" for one in choices))
    for rule in ("finish-reason-repeated", "done-missing"):
        done = isogloss("repro", capture, "--rule", rule, "--format", form)
        assert done.returncode == 0
        for word in ("Elizabeth", "gpt-4o", "b7Qz", "yours"):
            assert word not in done.stdout + done.stderr


REPLAYED = [
    "pair/calls-with-stop",
    "wire/sse-line-endings",
    *(
        pytest.param(case, marks=pytest.mark.slow)
        for case in (
            "stream/finish-reason-repeated", "wire/event-not-json", "wire/error-with-success-status",
            "request/tools-empty", "schema/wrong-type",
        )
    ),
]  # fmt: skip
TESTED = ["stream/finish-reason-repeated", *(
    pytest.param(case, marks=pytest.mark.slow) for case in ("pair/calls-with-stop", "wire/sse-bad-utf8")
)]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands need curl")
@pytest.mark.parametrize("case", REPLAYED)
def test_the_shell_commands_show_the_finding(isogloss: Isogloss, tmp_path: Path, case: str) -> None:
    rule = case.partition("/")[2]
    script = isogloss("repro", min((FIXTURES / case).glob("invalid-*")), "--rule", rule, "--format", "replay").stdout
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, content in (("nc", NC), ("isogloss", "#!{python}\nfrom isogloss.cli.main import main\nmain()\n")):
        (tools / name).write_text(content.format(python=sys.executable))
        (tools / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "OPENAI_BASE_URL": "", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-c", script.replace("8080", str(port))],
        capture_output=True, text=True, env=environment, cwd=tmp_path, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, ""), script
    assert f"[{rule}]" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("case", TESTED)
def test_the_test_for_pytest_fails_with_the_finding(isogloss: Isogloss, tmp_path: Path, case: str) -> None:
    rule, module = case.partition("/")[2], tmp_path / "test_small.py"
    capture = min((FIXTURES / case).glob("invalid-*"))
    isogloss("repro", capture, "--rule", rule, "--format", "pytest", "--output", module)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "isogloss.cli.pytest_plugin", "--rootdir", tmp_path, module],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert f"FAILED test_small.py::test_{rule.replace('-', '_')}" in done.stdout
    assert f"[{rule}]" in done.stdout


def test_the_page_has_what_an_issue_needs(isogloss: Isogloss) -> None:
    page = isogloss("repro", CASSETTE, "--rule", "calls-with-stop", "--format", "markdown").stdout
    assert page.startswith("# `calls-with-stop`: ")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == [
        "## How to see it", "## Why it matters", "## Who breaks", "## What the reference says", "## What to do"
    ]  # fmt: skip
    assert "Known of the dialects gemini" in page
    assert "\n* API reference, the chat completion object: finish_reason (2026-04)\n" in page


def test_the_page_quotes_the_reference_on_a_property(isogloss: Isogloss, tmp_path: Path) -> None:
    page = isogloss("repro", written(tmp_path, answer(model=5)), "--format", "markdown").stdout
    quoted = [line for line in page.splitlines() if line.startswith("> ")]
    assert quoted == ["> Model that generated the answer, usually a dated snapshot of the requested one."]


def test_what_a_payload_says_ends_no_block_of_the_page(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = tmp_path / "answer.html"
    capture.write_text(json.dumps({"request": {"model": "m", "messages": [{"role": "user", "content": "a"}]},
                                   "response_text": "```\n# Heading\x1b[31m", "status": 200}))  # fmt: skip
    page = isogloss("repro", capture, "--rule", "body-not-json", "--format", "markdown").stdout
    assert "\x1b" not in page


def test_the_file_is_judged_by_the_library_as_by_the_command(isogloss: Isogloss) -> None:
    small = isogloss("repro", CASSETTE, "--rule", "calls-with-stop").stdout
    assert [one.rule for one in check(small).failing()] == ["calls-with-stop"]
