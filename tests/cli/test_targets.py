"""Tests that no command writes to a capture that it reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli

SCHEMAS = Path(__file__).parents[2] / "schemas" / "isogloss" / "schemas"
OK = (Path(__file__).parents[2] / "fixtures" / "conforming" / "completion" / "text.json").read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "logs").mkdir()
    for name in ("one.json", "two.json"):
        (tmp_path / "logs" / name).write_bytes(OK)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "check logs --write-baseline -",
        "repro logs/one.json --output -",
    ],
)
def test_no_file_is_called_like_standard_output(folder: Path, arguments: str) -> None:
    result = CliRunner().invoke(cli, arguments.split())
    assert result.exit_code == 2
    assert "- is not a file; name one" in result.output
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        "check logs/one.json --output json:logs/one.json",
        "check logs --output json:logs/one.json",
        "check logs --write-baseline logs/two.json",
        "check logs/one.json --output html:other.html --output json:logs/../logs/one.json",
        "report logs --output json:logs/one.json",
        "compare logs/one.json logs/two.json --output json:logs/two.json",
        "compare logs --output json:logs/two.json",
        "repro logs/one.json --output logs/one.json --force",
    ],
)
def test_a_capture_that_is_read_is_not_overwritten(folder: Path, arguments: str) -> None:
    result = CliRunner().invoke(cli, arguments.split())
    assert result.exit_code == 2
    assert "is a capture that is read" in result.output
    assert [path.read_bytes() for path in sorted((folder / "logs").iterdir())] == [OK, OK]


@pytest.mark.parametrize(
    "arguments",
    [
        "check logs --output json:isogloss.toml",
        "check logs --output json:logs/../isogloss.toml",
        "check logs --write-baseline isogloss.toml",
        "check logs --output json:known.json",
        "check logs --baseline other.json --output html:other.json",
        "check logs --dialect groq --output json:groq.json",
        "check --live http://127.0.0.1:1/v1 --request other.json --output json:other.json",
        "report logs --output json:isogloss.toml",
        "report logs --dialect-file groq.json --output json:groq.json",
        "compare logs logs --output json:groq.json",
        "probe http://127.0.0.1:1/v1 --model m --output json:isogloss.toml",
    ],
)
def test_no_other_file_that_is_read_is_overwritten(folder: Path, arguments: str) -> None:
    (folder / "isogloss.toml").write_text('dialect-files = ["groq.json"]\nbaseline = "known.json"\n', "utf-8")
    (folder / "groq.json").write_bytes((SCHEMAS / "dialects" / "groq.json").read_bytes())
    for name in ("known.json", "other.json"):
        (folder / name).write_text('{"baseline_version": 1, "findings": []}', "utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = CliRunner().invoke(cli, arguments.split())
    assert (result.exit_code, "is a file that this command reads: write to another one" in result.output) == (2, True)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_an_earlier_report_in_the_folder_that_is_read_is_replaced(folder: Path) -> None:
    for _ in range(2):
        result = CliRunner().invoke(cli, ["check", "logs", "--output", "json:logs/report.json"])
        assert result.exit_code == 0, result.output
    assert json.loads((folder / "logs" / "report.json").read_bytes())["summary"]["verdict"] == "conforms"


def test_a_file_that_is_not_read_is_replaced_whatever_it_holds(folder: Path) -> None:
    (folder / "logs-2").mkdir()
    other = folder / "logs-2" / "report.json"
    other.write_bytes(OK)
    assert CliRunner().invoke(cli, ["check", "logs", "--output", "json:logs-2/report.json"]).exit_code == 0
    assert json.loads(other.read_bytes())["summary"]["verdict"] == "conforms"


def test_a_link_stays_a_link_and_the_file_that_it_leads_to_keeps_its_permissions(folder: Path) -> None:
    (folder / "kept.json").write_bytes(b"{}")
    (folder / "kept.json").chmod(0o640)
    (folder / "link.json").symlink_to("kept.json")
    assert CliRunner().invoke(cli, ["check", "logs", "--output", "json:link.json"]).exit_code == 0
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "kept.json").read_bytes())["summary"]["verdict"] == "conforms"
    assert (folder / "kept.json").stat().st_mode & 0o777 == 0o640


def test_two_outputs_to_one_file_and_an_output_to_a_dash_are_refused(folder: Path) -> None:
    twice = ["check", "logs", "--output", "json:a", "--output", "sarif:./a"]
    assert "two outputs would be written to a" in CliRunner().invoke(cli, twice).output
    for command in ("check", "report", "compare"):
        result = CliRunner().invoke(cli, [command, "logs", "--output", "json:-"])
        assert "- is not a file; --format json writes to standard output" in result.output
    assert not (folder / "-").exists()
