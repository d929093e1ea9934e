"""A fault of isogloss itself is reported with its place, and ends a run with 4 after all else was checked."""

from __future__ import annotations

import json
import re
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

WRONG = {"id": 1, "object": "chat.completion", "created": 1, "model": "m", "choices": []}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(WRONG) + "\n" for _ in range(3)))
    (tmp_path / "b.json").write_text(json.dumps(WRONG))
    return tmp_path


def test_a_fault_in_one_exchange_leaves_the_others_checked(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examine = Examiner.examine

    def fail(self: Examiner, exchange: Exchange) -> Examined:
        if exchange.number == 1:
            raise ZeroDivisionError("no reason")
        return examine(self, exchange)

    monkeypatch.setattr(Examiner, "examine", fail)
    done = CliRunner().invoke(cli, ["check", "--format", "json", "--jobs", "1", str(answers)])
    assert done.exit_code == 4
    assert f"{answers}/a.jsonl, exchange 1: internal error, please report it: ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stderr
    report = json.loads(done.stdout)
    assert report["summary"]["exchanges"] == 4
    assert {(Path(one["source"]["file"]).name, one["source"]["exchange"]) for one in report["findings"]} == {
        ("a.jsonl", 0),
        ("a.jsonl", 2),
        ("b.json", 0),
    }


def test_a_fault_in_placing_one_exchange_leaves_the_others_checked(
    answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Placer.source

    def fail(self: Placer, part: ExchangePart, hit: Hit) -> Source:
        found = source(self, part, hit)
        if found.exchange == 1:
            raise ZeroDivisionError("no reason")
        return found

    monkeypatch.setattr(Placer, "source", fail)
    done = CliRunner().invoke(cli, ["check", "--format", "json", "--jobs", "1", str(answers)])
    assert done.exit_code == 4
    report = json.loads(done.stdout)
    assert report["summary"]["exchanges"] == 4
    assert {one["source"]["exchange"] for one in report["findings"]} == {0, 2}


def test_a_fault_in_reading_one_file_leaves_the_others_checked(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = captures.read

    def fail(capture: captures.Capture, name: str | None = None) -> Any:
        if capture.name.endswith("a.jsonl"):
            raise KeyError("no reason")
        return read(capture, name)

    monkeypatch.setattr(captures, "read", fail)
    done = CliRunner().invoke(cli, ["check", "--jobs", "1", str(answers)])
    assert done.exit_code == 4
    assert f"{answers}/a.jsonl: internal error, please report it: KeyError" in done.stderr
    assert "b.json:1:" in done.stdout


def test_what_a_dialect_excuses_is_one_line_with_how_sure_it_is() -> None:
    fixtures = Path(__file__).parents[2] / "fixtures" / "dialects" / "groq"
    given = CliRunner().invoke(cli, ["check", "--dialect", "groq", str(fixtures)])
    assert re.search(r"^\d+ findings known of groq: -v$", given.stdout, re.MULTILINE)
    assert "unknown-property" not in given.stdout
    told = CliRunner().invoke(cli, ["check", "--dialect", "auto", str(fixtures)])
    assert re.search(r"^\d+ findings known of groq \(spoken surely, at least (0\.9\d|1\.00)\): -v$", told.stdout, re.M)
    listed = CliRunner().invoke(cli, ["check", "--dialect", "groq", "-v", str(fixtures)])
    assert listed.stdout.count("(known of groq)") > 10


def test_findings_that_differ_in_a_number_alone_are_one_line(tmp_path: Path) -> None:
    usage = [{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": total} for total in (70, 71, 72)]
    text = (Path(__file__).parents[2] / "fixtures/conforming/completion/text.json").read_text()
    lines = [json.dumps(json.loads(text) | {"usage": one}) for one in usage]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    done = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert done.stdout.count("[usage-total-mismatch]") == 1
    assert "total_tokens is 70, the parts make 2  (×3" in done.stdout


def test_of_very_many_violations_of_one_rule_the_last_says_how_many_more(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(WRONG | {"choices": [{}] * 1500}))
    done = CliRunner().invoke(cli, ["check", "--format", "json", str(tmp_path / "a.json")])
    missing = [one for one in json.loads(done.stdout)["findings"] if one["rule"] == "missing-property"]
    assert len(missing) == 1001
    assert any(one["message"].endswith("more findings of this rule in this payload") for one in missing)
