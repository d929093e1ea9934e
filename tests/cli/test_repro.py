"""Tests of ``isogloss repro``: it writes the smallest capture of a finding in several forms, and overwrites no file."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from isogloss.cli.repro_formats import replay
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
"""A program that is used in place of nc, because a machine may have none."""


def completion(**properties: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Yours sincerely, Elizabeth", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    head = {"id": "chatcmpl-9Xq", "object": "chat.completion", "created": 1760000000, "model": "gpt-4o"}
    return head | {"choices": [choice]} | properties


def write_capture(folder: Path, *values: Any) -> Path:
    path = folder / "capture.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def test_the_capture_is_small_and_keeps_the_requested_finding(isogloss: Isogloss, tmp_path: Path) -> None:
    target = tmp_path / "small.sse"
    result = isogloss("repro", CASSETTE, "--rule", "tool-call-name-repeated", "--output", target)
    assert (result.returncode, result.stdout) == (0, "")
    assert "tool-call-name-repeated, error at choices[].delta.tool_calls[].function.name of exchange 0" in result.stderr
    assert target.stat().st_size < 620
    report = json.loads(isogloss("check", target, "--format", "json").stdout)
    findings = {(finding["rule"], finding["kind"], finding["path"]) for finding in report["findings"]}
    assert ("tool-call-name-repeated", "chunk", "choices[].delta.tool_calls[].function.name") in findings


@pytest.mark.thorough
def test_standard_output_equals_the_file_in_every_run(isogloss: Isogloss, tmp_path: Path) -> None:
    target = tmp_path / "small.sse"
    isogloss("repro", CASSETTE, "--output", target)
    assert isogloss("repro", CASSETTE).stdout == target.read_text()


def test_without_a_rule_the_most_severe_finding_is_reproduced(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = write_capture(tmp_path, completion(created=0), completion(model=""), completion(model=5))
    assert "wrong-type, error at model of exchange 2" in isogloss("repro", capture).stderr


def test_exchange_and_at_choose_among_findings_of_a_rule(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = write_capture(tmp_path, completion(model=5), completion(model=5, created="now"))
    for options, message in (
        (("--at", "created"), "at created of exchange 1"),
        (("--at", "/created"), "at created of exchange 1"),
        (("--at", "model", "--exchange", "1"), "at model of exchange 1"),
        ((), "at model of exchange 0"),
    ):
        assert f"wrong-type, error {message}" in isogloss("repro", capture, "--rule", "wrong-type", *options).stderr


def test_an_existing_file_is_overwritten_only_with_force(isogloss: Isogloss, tmp_path: Path) -> None:
    capture, existing = write_capture(tmp_path, completion(model=5)), tmp_path / "notes.txt"
    existing.write_text("mine")
    result = isogloss("repro", capture, "--output", existing)
    assert (result.returncode, existing.read_text()) == (2, "mine")
    assert "is there already: name a new file" in result.stderr
    assert isogloss("repro", capture, "--output", existing, "--force").returncode == 0
    assert existing.read_text().startswith('{"')


def test_the_capture_itself_is_never_overwritten(isogloss: Isogloss, tmp_path: Path) -> None:
    capture, link = write_capture(tmp_path, completion(model=5)), tmp_path / "link"
    link.symlink_to(capture)
    before = capture.read_bytes()
    for target in (capture, link):
        result = isogloss("repro", capture, "--output", target, "--force")
        assert result.returncode == 2
        assert "is a capture that is read, and no capture is ever overwritten" in result.stderr
    assert capture.read_bytes() == before


def test_nothing_is_written_if_there_is_no_such_finding(isogloss: Isogloss, tmp_path: Path) -> None:
    capture, conforming, target = (
        write_capture(tmp_path, completion(model=5)),
        tmp_path / "conforming.json",
        tmp_path / "new",
    )
    conforming.write_bytes((FIXTURES / "conforming" / "completion" / "text.json").read_bytes())
    large = tmp_path / "large.json"
    large.write_text(json.dumps(completion(x="N")).replace('"N"', "1e999"), "utf-8")
    for arguments, reason in (
        ((capture, "--rule", "usage-zero"), "no such finding; there are findings of usage-absent, wrong-type"),
        ((large, "--at", "/y"), "no such finding; there are findings at usage, no path"),
        ((conforming, "--exchange", "0"), "no findings in exchange 0"),
        ((capture, "--exchange", "5"), "there is no exchange 5; the last one is 0"),
        ((ROOT / "LICENSE",), "not a capture: no input format recognises it"),
    ):
        result = isogloss("repro", *arguments, "--output", target)
        assert (result.returncode, target.exists()) == (3, False)
        assert reason in result.stderr


def test_a_folder_as_the_new_file_is_a_usage_error(isogloss: Isogloss, tmp_path: Path) -> None:
    result = isogloss("repro", CASSETTE, "--output", tmp_path)
    assert result.returncode == 2
    assert "is a folder, not a file" in result.stderr


def test_an_unknown_rule_is_an_error_that_names_the_nearest_rule(isogloss: Isogloss) -> None:
    result = isogloss("repro", CASSETTE, "--rule", "usage-zeros")
    assert result.returncode == 2
    assert "did you mean 'usage-zero'?" in result.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("output_format", FORMS)
def test_no_form_has_texts_of_users_or_keys(isogloss: Isogloss, tmp_path: Path, output_format: str) -> None:
    key = "sk-proj-" + "b7Qz" * 10
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o"}
    pieces = ["Dear Elizabeth, ", key[:9], key[9:], " is yours"]
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices += [{"index": 0, "delta": {}, "finish_reason": "stop"}] * 2
    capture = tmp_path / "stream.sse"
    capture.write_text("".join(f"data: {json.dumps(chunk | {'choices': [choice]})}\n\n" for choice in choices))
    for rule in ("finish-reason-repeated", "done-missing"):
        result = isogloss("repro", capture, "--rule", rule, "--format", output_format)
        assert result.returncode == 0
        for word in ("Elizabeth", "gpt-4o", "b7Qz", "yours"):
            assert word not in result.stdout + result.stderr


REPLAY_CASES = [
    "pair/calls-with-stop",
    "wire/sse-line-endings",
    *(
        pytest.param(case, marks=pytest.mark.slow)
        for case in (
            "stream/finish-reason-repeated", "wire/event-not-json", "wire/error-with-success-status",
            "wire/json-content-type", "wire/completion-with-error-status", "request/tools-empty", "schema/wrong-type",
        )
    ),
]  # fmt: skip
PYTEST_CASES = ["stream/finish-reason-repeated", *(
    pytest.param(case, marks=pytest.mark.slow) for case in ("pair/calls-with-stop", "wire/sse-bad-utf8")
)]  # fmt: skip


def run_script(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the commands in a folder, with a program in place of ``nc``, and with a port that is free."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    tools = folder / "bin"
    tools.mkdir()
    for name, content in (("nc", NC), ("isogloss", "#!{python}\nfrom isogloss.cli.main import main\nmain()\n")):
        (tools / name).write_text(content.format(python=sys.executable))
        (tools / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "OPENAI_BASE_URL": "", "TMPDIR": str(folder)}
    return subprocess.run(
        ["sh", "-c", script.replace("8080", str(port))],
        capture_output=True, text=True, env=environment, cwd=folder, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands need curl")
@pytest.mark.parametrize("case", REPLAY_CASES)
def test_the_shell_commands_show_the_finding(isogloss: Isogloss, tmp_path: Path, case: str) -> None:
    rule = case.partition("/")[2]
    smallest = min((FIXTURES / case).glob("invalid-*"), key=lambda path: path.stat().st_size)
    script = isogloss("repro", smallest, "--rule", rule, "--format", "replay").stdout
    result = run_script(script, tmp_path)
    assert (result.returncode, result.stderr) == (1, ""), script
    assert f"[{rule}]" in result.stdout


@pytest.mark.parametrize(
    ("case", "is_served"),
    [("stream/finish-reason-repeated", True), ("schema/wrong-type", True), ("wire/connection-broken", False)],
)
def test_an_answer_is_served_to_the_commands_if_a_server_can_send_it(
    isogloss: Isogloss, case: str, is_served: bool
) -> None:
    capture = min((FIXTURES / case).glob("invalid-*"))
    script = isogloss("repro", capture, "--rule", case.partition("/")[2], "--format", "replay").stdout
    assert ("nc -l" in script) == is_served


@pytest.mark.thorough
@pytest.mark.parametrize("case", PYTEST_CASES)
def test_the_generated_test_fails_with_the_finding(isogloss: Isogloss, tmp_path: Path, case: str) -> None:
    rule, module = case.partition("/")[2], tmp_path / "test_small.py"
    capture = min((FIXTURES / case).glob("invalid-*"))
    isogloss("repro", capture, "--rule", rule, "--format", "pytest", "--output", module)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "isogloss.cli.pytest_plugin", "--rootdir", tmp_path, module],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert result.returncode == 1, result.stdout
    assert f"FAILED test_small.py::test_{rule.replace('-', '_')}" in result.stdout
    assert f"[{rule}]" in result.stdout


def test_the_page_has_the_sections_that_an_issue_needs(isogloss: Isogloss) -> None:
    page = isogloss("repro", CASSETTE, "--rule", "calls-with-stop", "--format", "markdown").stdout
    assert page.startswith("# `calls-with-stop`: ")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == [
        "## How to see it", "## Why it matters", "## Who breaks", "## What the reference says", "## What to do"
    ]  # fmt: skip
    assert "Known in the dialects gemini" in page
    assert "\n* API reference, the chat completion object: finish_reason (2026-04)\n" in page


def test_the_page_quotes_the_reference_on_a_property(isogloss: Isogloss, tmp_path: Path) -> None:
    page = isogloss("repro", write_capture(tmp_path, completion(model=5)), "--format", "markdown").stdout
    quotations = [line for line in page.splitlines() if line.startswith("> ")]
    assert quotations == ["> Model that generated the answer, usually a dated snapshot of the requested one."]


def test_a_payload_does_not_end_the_block_that_shows_it(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = tmp_path / "answer.html"
    capture.write_text(json.dumps({"request": {"model": "m", "messages": [{"role": "user", "content": "a"}]},
                                   "response_text": "```\n# Heading\x1b[31m", "status": 200}))  # fmt: skip
    page = isogloss("repro", capture, "--rule", "body-not-json", "--format", "markdown").stdout
    assert "\x1b" not in page
    headings = re.findall(r"<h\d>(.*)</h\d>", MarkdownIt().render(page))
    assert headings[0].startswith("<code>body-not-json</code>")
    assert "Heading" not in headings


def test_the_page_names_the_path_as_the_payload_spells_it(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = write_capture(tmp_path, completion(finishReason_="stop", model="m"))
    page = isogloss("repro", capture, "--at", "finishReason_", "--format", "markdown").stdout
    first = MarkdownIt().render(page).splitlines()[1]
    assert first.startswith("<p>Note at finishReason_ of the completion: `finishReason_` is not part of the reference")


HOSTILE_NAME = "".join(
    part.format("touch pwned")
    for part in (
        "\n{}\n", "\r{}\r", "\u2028{}", "`{}`", "$({})", "'; {}; '", '"; {}; "',
        "\x1b]0;{}\x07", "\n```\n{}\n", "<script>{}", "x\x9b31m\u202e{}",
    )
)  # fmt: skip


def test_the_name_of_a_property_is_never_a_command_nor_markup(isogloss: Isogloss, tmp_path: Path) -> None:
    capture = write_capture(tmp_path, completion(**{HOSTILE_NAME: {}}))
    forms = {form: isogloss("repro", capture, "--at", f"/{HOSTILE_NAME}", "--format", form) for form in FORMS}
    assert all(result.returncode == 0 for result in forms.values())
    for program in ("nc", "curl", "isogloss", "sleep"):
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    script = forms["replay"].stdout
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=True)
    compile(forms["pytest"].stdout, "test", "exec")
    assert not (tmp_path / "pwned").exists()
    for form in ("replay", "pytest", "markdown"):
        assert all(line.isprintable() for line in forms[form].stdout.split("\n")), form
    assert "<script>" not in MarkdownIt().render(forms["markdown"].stdout)


@pytest.mark.thorough
def test_the_library_finds_the_same_rule_in_the_capture(isogloss: Isogloss) -> None:
    small = isogloss("repro", CASSETTE, "--rule", "calls-with-stop").stdout
    assert [finding.rule for finding in check(small).failing()] == ["calls-with-stop"]


@pytest.mark.thorough
def test_how_many_more_findings_there_are_is_no_finding_to_reproduce(isogloss: Isogloss, tmp_path: Path) -> None:
    choices = [
        {"index": index, "message": {"role": "assistant", "content": "Ho", "refusal": None}, "logprobs": None,
         "finish_reason": "eos"}
        for index in range(1001)
    ]  # fmt: skip
    capture = write_capture(tmp_path, completion(choices=choices))
    assert "1 more finding of this rule" in isogloss("check", capture).stdout
    result = isogloss("repro", capture)
    assert len(result.stdout) < 500
    assert result.stderr.startswith("unknown-value, error at choices[].finish_reason of exchange 0")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("", "tool-call-name-repeated, error"),
        ('ignore = ["tool-call-name-repeated"]', "calls-with-stop, error"),
        ('severity = { tool-call-name-repeated = "note" }', "calls-with-stop, error"),
        ('dialect = "llama-cpp-python"', "calls-with-stop, error"),
        ('paths."*.yaml".select = ["usage-total-mismatch"]', "usage-total-mismatch, warning"),
    ],
)
def test_the_finding_is_chosen_by_the_configuration_as_check_reports_it(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(CASSETTE, "cassette.yaml")
    Path("isogloss.toml").write_text(settings)
    assert isogloss("repro", "cassette.yaml").stderr.startswith(found)


def test_a_rule_that_the_configuration_ignores_is_a_usage_error(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("isogloss.toml").write_text('ignore = ["pair"]')
    result = isogloss("repro", CASSETTE, "--rule", "calls-with-stop")
    assert result.returncode == 2
    assert "'calls-with-stop' is not checked: the configuration ignores it" in result.stderr


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands need curl")
@pytest.mark.parametrize("is_run_beside_the_configuration", [True, False])
def test_the_commands_end_with_1_where_the_configuration_is_and_where_it_is_not(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_run_beside_the_configuration: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("isogloss.toml").write_text('severity.usage-on-choice-chunk = "error"\ndialect = "auto"')
    options = ("--rule", "usage-on-choice-chunk", "--format", "replay")
    script = isogloss("repro", CASSETTE, *options).stdout
    folder = tmp_path if is_run_beside_the_configuration else tmp_path / "elsewhere"
    folder.mkdir(exist_ok=True)
    if not is_run_beside_the_configuration:
        Path("isogloss.toml").unlink()
    result = run_script(script, folder)
    assert (result.returncode, result.stderr) == (1, ""), script
    assert "[usage-on-choice-chunk]" in result.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", ["auto", "groq"])
def test_the_test_names_the_dialect_that_was_given(isogloss: Isogloss, tmp_path: Path, dialect: str) -> None:
    capture = write_capture(tmp_path, completion(model=5))
    options = ("--dialect", dialect, "--format", "pytest")
    assert f"dialect={dialect!r})" in isogloss("repro", capture, *options).stdout


@pytest.mark.parametrize("data", [b"50 % of it's\n", b"50 %\xff\\ of it's\x01\n"])
def test_a_shell_prints_the_bytes_that_a_command_has(data: bytes) -> None:
    printed = subprocess.run(["sh", "-c", replay._printf(data)], capture_output=True, check=True)
    assert printed.stdout == data


def test_the_commands_name_the_file_of_a_dialect_that_was_given(isogloss: Isogloss, tmp_path: Path) -> None:
    dialect = json.loads((ROOT / "schemas/isogloss/schemas/dialects/groq.json").read_bytes())
    (own := tmp_path / "my dialect.json").write_text(json.dumps(dialect | {"slug": "mine"}))
    capture = write_capture(tmp_path, completion(model=5))
    options = ("--dialect", "mine", "--dialect-file", own)
    script = isogloss("repro", capture, *options, "--format", "replay").stdout
    assert f"--dialect mine --dialect-file '{own}'" in script
    assert "dialect" not in isogloss("repro", capture, *options, "--format", "pytest").stdout
