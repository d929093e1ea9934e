"""Tests of internal errors: each is reported with its place, and the run ends with 4 after all others were checked.

Also of findings that are printed as one line.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.validator import captures
from isogloss.validator.examining.examined import Examined
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.examining.placing import ExchangePart, Placer
from isogloss.validator.exchange import Exchange
from isogloss.validator.findings import Source
from isogloss.validator.rules import Hit

DEVIATING = {"id": 1, "object": "chat.completion", "created": 1, "model": "m", "choices": []}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(DEVIATING) + "\n" for _ in range(3)))
    (tmp_path / "b.json").write_text(json.dumps(DEVIATING))
    return tmp_path


def test_an_error_in_one_exchange_leaves_the_others_checked(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examine = Examiner.examine

    def fail(self: Examiner, exchange: Exchange) -> Examined:
        if exchange.number == 1:
            raise ZeroDivisionError("no reason")
        return examine(self, exchange)

    monkeypatch.setattr(Examiner, "examine", fail)
    result = CliRunner().invoke(cli, ["check", "--format", "json", "--jobs", "1", str(answers)])
    assert result.exit_code == 4
    assert f"{answers}/a.jsonl, exchange 1: internal error, please report it: ZeroDivisionError" in result.stderr
    assert "Traceback" not in result.stderr
    report = json.loads(result.stdout)
    assert report["summary"]["exchanges"] == 4
    assert {
        (Path(finding["source"]["file"]).name, finding["source"]["exchange"]) for finding in report["findings"]
    } == {
        ("a.jsonl", 0),
        ("a.jsonl", 2),
        ("b.json", 0),
    }


def test_a_message_about_an_error_quotes_only_the_beginning_of_a_long_reason(
    answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Examiner, exchange: Exchange) -> Examined:
        raise ValueError("a" * 100_000)

    monkeypatch.setattr(Examiner, "examine", fail)
    result = CliRunner().invoke(cli, ["check", "--jobs", "1", str(answers / "b.json")])
    assert result.exit_code == 4
    assert "ValueError: aaa" in result.stderr
    assert len(result.stderr) < 1000


def test_an_error_in_placing_one_exchange_leaves_the_others_checked(
    answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_source = Placer.source

    def fail(self: Placer, part: ExchangePart, hit: Hit) -> Source:
        source = find_source(self, part, hit)
        if source.exchange == 1:
            raise ZeroDivisionError("no reason")
        return source

    monkeypatch.setattr(Placer, "source", fail)
    result = CliRunner().invoke(cli, ["check", "--format", "json", "--jobs", "1", str(answers)])
    assert result.exit_code == 4
    report = json.loads(result.stdout)
    assert report["summary"]["exchanges"] == 4
    assert {finding["source"]["exchange"] for finding in report["findings"]} == {0, 2}


def test_an_error_in_reading_one_file_leaves_the_others_checked(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = captures.read

    def fail(capture: captures.Capture, name: str | None = None) -> Any:
        if capture.name.endswith("a.jsonl"):
            raise KeyError("no reason")
        return read(capture, name)

    monkeypatch.setattr(captures, "read", fail)
    result = CliRunner().invoke(cli, ["check", "--jobs", "1", str(answers)])
    assert result.exit_code == 4
    assert f"{answers}/a.jsonl: internal error, please report it: KeyError" in result.stderr
    assert "b.json:1:" in result.stdout


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_file_for_which_memory_runs_out_is_no_fault_of_isogloss_and_leaves_the_others_checked(
    answers: Path, monkeypatch: pytest.MonkeyPatch, wrapped: bool
) -> None:
    read = captures.read

    def fail(capture: captures.Capture, name: str | None = None) -> Any:
        if not capture.name.endswith("a.jsonl"):
            return read(capture, name)
        if wrapped:
            raise SystemError("returned a result with an exception set") from MemoryError()
        raise MemoryError

    monkeypatch.setattr(captures, "read", fail)
    result = CliRunner().invoke(cli, ["check", "--jobs", "1", str(answers)])
    assert result.exit_code == 4
    assert f"{answers}/a.jsonl: there is not enough memory (" in result.stderr
    assert "please report" not in result.stderr
    assert "b.json:1:" in result.stdout


@pytest.mark.processes
def test_a_process_without_the_memory_to_describe_an_error_ends_with_a_message() -> None:
    program = (
        "from isogloss.cli.process import internal\n"
        "from isogloss.validator import rules\n"
        "def broken(*_): raise MemoryError\n"
        "rules.names = internal.describe = broken\n"
        "from isogloss.cli.main import main; main(['rules'])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (3, "Error: there is not enough memory\n")


@pytest.mark.processes
def test_a_process_that_may_open_no_more_files_says_which_limit_it_met() -> None:
    program = (
        "import errno; from isogloss.validator import rules\n"
        "def broken(): raise OSError(errno.EMFILE, 'Too many open files')\n"
        "rules.names = broken\n"
        "from isogloss.cli.main import main; main(['rules'])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "Error: this process may open no more files; ulimit -n sets how many it may (" in result.stderr


def test_findings_that_a_dialect_explains_are_one_line_with_the_confidence() -> None:
    fixtures = Path(__file__).parents[2] / "fixtures" / "dialects" / "groq"
    with_dialect = CliRunner().invoke(cli, ["check", "--dialect", "groq", str(fixtures)])
    assert re.search(r"^\d+ findings known in groq; -v lists them$", with_dialect.stdout, re.MULTILINE)
    assert "unknown-property" not in with_dialect.stdout
    with_auto = CliRunner().invoke(cli, ["check", "--dialect", "auto", str(fixtures)])
    confidence = r"\(confidence at least 0\.9\d\)"
    assert re.search(rf"^\d+ findings known in groq {confidence}; -v lists them$", with_auto.stdout, re.MULTILINE)
    verbose = CliRunner().invoke(cli, ["check", "--dialect", "groq", "-v", str(fixtures)])
    assert verbose.stdout.count("(known in groq)") > 10


def test_exchanges_without_a_sure_dialect_are_counted_in_one_line(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "fixtures/conforming/completion/text.json").read_text()
    lines = [json.dumps(json.loads(text) | {"warp": number}) for number in range(2)]
    for count, said in ((1, "1 exchange speaks"), (2, "2 exchanges speak")):
        (tmp_path / "a.jsonl").write_text("\n".join(lines[:count]) + "\n")
        result = CliRunner().invoke(cli, ["check", "--dialect", "auto", str(tmp_path)])
        assert f"\n{said} no dialect for certain; isogloss report names the nearest\n" in result.stdout
    assert "for certain" not in CliRunner().invoke(cli, ["check", str(tmp_path)]).stdout


def test_findings_that_differ_only_in_a_number_are_one_line(tmp_path: Path) -> None:
    usages = [{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": total} for total in (70, 71, 72)]
    text = (Path(__file__).parents[2] / "fixtures/conforming/completion/text.json").read_text()
    lines = [json.dumps(json.loads(text) | {"usage": usage}) for usage in usages]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    result = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert result.stdout.count("[usage-total-mismatch]") == 1
    assert "total_tokens is 70, its parts add up to 2  (×3" in result.stdout


def test_the_last_of_very_many_findings_of_a_rule_says_how_many_more_there_are(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DEVIATING | {"choices": [{"index": 0}] * 1500}))
    result = CliRunner().invoke(cli, ["check", "--format", "json", str(tmp_path / "a.json")])
    missing = [finding for finding in json.loads(result.stdout)["findings"] if finding["rule"] == "missing-property"]
    assert len(missing) == 1001
    assert any(finding["message"].endswith("more findings of this rule in this payload") for finding in missing)
