"""Test the formats of reports: what other tools read in them, and how they are written."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import junitparser
import pytest

from isogloss.cli import reporters
from isogloss.cli.checking.dialect_counts import DialectCounts
from isogloss.cli.checking.run_settings import RunSettings
from isogloss.cli.checking.summary import Run
from isogloss.validator.exchange import Cause, Skipped, Why
from isogloss.validator.findings import Severity

ROOT = Path(__file__).parents[3]
COMMAND = re.compile('<p class="origin">.*')
"""The line of a page that names the command."""
PAIR = "fixtures/captures/json/pair.json"
STREAM = "fixtures/captures/sse/stream.sse"
CONFORMING = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Isogloss = Callable[..., Any]


def test_junit_has_a_case_for_a_file_that_could_not_be_opened(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    (tmp_path / "good.json").write_text(json.dumps(CONFORMING), "utf-8")
    suite = junitparser.JUnitXml.fromstring(isogloss("check", tmp_path, "--format", "junit").stdout.encode())
    cases = {os.path.basename(case.name): case.is_skipped for one in suite for case in one}
    assert cases == {"good.json": False, "loop.json": True}


def test_junit_has_a_case_for_each_file_that_is_a_capture(isogloss: Isogloss, tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    unreadable = tmp_path / "damaged.gz", tmp_path / "damaged.zip", tmp_path / "packed.7z"
    for file, beginning in zip(unreadable, (b"\x1f\x8b\x08", b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c"), strict=True):
        file.write_bytes(beginning + b" and no more")
    captures = (PAIR, "fixtures/conforming/completion/text.json", "LICENSE", *unreadable)
    result = isogloss("check", *captures, "--output", f"junit:{path}")
    assert result.returncode == 1
    [suite] = junitparser.JUnitXml.fromfile(str(path))
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (5, 1, 3, 0)
    failed, passed, *skipped = suite
    assert failed.name == PAIR
    assert failed.result[0].type == "wrong-type"
    assert failed.result[0].text.count("error[") == 3
    assert "warning[usage-total-mismatch]" in failed.system_out
    assert passed.is_passed
    assert [(one.name, one.is_skipped) for one in skipped] == [(str(file), True) for file in unreadable]


@pytest.mark.parametrize(("confidence", "shown"), [(0.9, "0.90"), (0.998, "0.99"), (0.9999, "0.99"), (1.0, "1.00")])
def test_confidence_that_text_says_is_never_more_than_it_was(confidence: float, shown: str) -> None:
    run = Run(RunSettings(Severity.ERROR))
    run.dialects["groq"] = DialectCounts(explained=2, confidence=confidence)
    text = io.StringIO()
    reporters.report("text", run, text)
    assert f"2 findings known in groq (confidence at least {shown})" in text.getvalue()


def test_junit_says_of_a_file_the_first_reason_and_skips_none_that_has_exchanges() -> None:
    run = Run(RunSettings(Severity.ERROR))
    run.checked = {"half.json": 1, "none.json": 0}
    reasons = [Why(words, Cause.UNREAD) for words in ("the first reason", "another reason")]
    run.skipped = [Skipped(file, why) for file in run.checked for why in reasons]
    junit = io.StringIO()
    reporters.report("junit", run, junit)
    [suite] = junitparser.JUnitXml.fromstring(junit.getvalue().encode())
    assert [(case.name, [one.message for one in case.result]) for case in suite] == [
        ("half.json", []),
        ("none.json", ["the first reason"]),
    ]


def test_github_annotates_ten_of_each_level_and_writes_the_log_and_a_summary(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = isogloss("check", PAIR, STREAM, "fixtures/schema", "--format", "github")
    assert result.returncode == 1
    commands = [line.split(" ")[0] for line in result.stdout.splitlines() if line.startswith("::")]
    assert commands == ["::error"] * 10 + ["::warning"] * 10 + ["::notice"] * 10
    assert result.stdout.startswith(
        f"::error file={PAIR},line=18,col=16,title=isogloss wrong-type::completion created: a string where the"
    )
    assert result.stdout.splitlines()[-2].startswith("deviates: ")
    assert result.stdout.splitlines()[-1].startswith("next: isogloss explain ")
    assert summary.read_text("utf-8").startswith("before\n# isogloss\n\ndeviates\\: ")


def test_each_gitlab_issue_has_its_own_fingerprint(isogloss: Isogloss) -> None:
    issues = json.loads(isogloss("check", "fixtures/schema", PAIR, "--format", "gitlab").stdout)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["severity"] for issue in issues} == {"major", "minor", "info"}
    assert all((ROOT / issue["location"]["path"]).is_file() for issue in issues)
    assert all(
        issue["location"]["lines"]["begin"] > 0 and issue["description"] and issue["check_name"] for issue in issues
    )


def test_on_a_terminal_a_blank_line_stands_before_the_summary_unless_it_stands_alone(
    isogloss: Isogloss, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.cli.reporters.text.width_of", lambda out: 100)
    assert "\n\ndeviates: " in isogloss("check", PAIR).stdout
    assert isogloss("check", "fixtures/conforming/completion/text.json").stdout.startswith("conforms: ")


@pytest.mark.parametrize("output_format", reporters.FORMATS)
def test_every_format_shows_the_findings_in_its_longest_form(isogloss: Isogloss, output_format: str) -> None:
    assert "usage-total-mismatch" in isogloss("check", PAIR, "--format", output_format, "--verbose").stdout


def test_jsonl_is_the_json_report_line_by_line(isogloss: Isogloss) -> None:
    run = ("check", PAIR, STREAM, "LICENSE", "--format")
    report = json.loads(isogloss(*run, "json").stdout)
    lines = [json.loads(line) for line in isogloss(*run, "jsonl").stdout.splitlines()]
    assert [line for line in lines if line.pop("type") == "finding"] == report["findings"]
    assert lines[len(report["findings"]) :] == [*report["skipped"], report["summary"]]


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        (("--format", "jsonl", "--input-format", "jsonl"), '{"type":"finding",', '{"type":"summary",'),
        ((PAIR, "--verbose"), f"{PAIR}:18:16: error[wrong-type]", "deviates: "),
    ],
    ids=["jsonl", "verbose"],
)
def test_findings_are_written_while_the_input_is_still_being_read(
    environment: dict[str, str], arguments: tuple[str, ...], first: str, last: str
) -> None:
    fault = json.dumps(CONFORMING | {"model": 5}).encode() + b"\n"
    conforming = json.dumps(CONFORMING).encode() + b"\n"
    command = [sys.executable, "-c", "from isogloss.cli.main import main; main()"]
    command += ["check", *arguments, "-"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        stop = threading.Timer(30, running.kill)
        stop.start()
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(fault + conforming * 6000)  # more than one read takes, and the input has not ended
        running.stdin.flush()
        assert running.stdout.readline().decode().startswith(first)
        running.stdin.close()
        assert running.stdout.read().decode().splitlines()[-1].startswith(last)
        stop.cancel()


def test_one_run_writes_any_number_of_formats_beside_the_terminal(isogloss: Isogloss, tmp_path: Path) -> None:
    outputs = [f"--output={name}:{tmp_path / name}" for name in reporters.FORMATS]
    result = isogloss("check", PAIR, STREAM, *outputs)
    assert result.stdout == isogloss("check", PAIR, STREAM).stdout
    for name in reporters.FORMATS:
        alone = isogloss("check", PAIR, STREAM, "--format", name).stdout
        written = (tmp_path / name).read_text("utf-8")
        assert COMMAND.sub("", written) == COMMAND.sub("", alone)
    assert {path.name for path in tmp_path.iterdir()} == reporters.FORMATS.keys()  # and no temporary file


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("out.sarif", "is not FORMAT:FILE, like sarif:out.sarif"),
        ("sarif:", "is not FORMAT:FILE, like html:report.html"),
        ("sariff:out", "no format is called 'sariff'; did you mean 'sarif'?"),
        ("sarif:nowhere/out", "there is no folder 'nowhere'"),
        ("sarif:tests", "'tests' is a folder; name a file in it"),
    ],
)
def test_an_output_that_cannot_be_written_is_reported_before_anything_is_read(
    isogloss: Isogloss, value: str, message: str
) -> None:
    result = isogloss("check", PAIR, "--output", value)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
