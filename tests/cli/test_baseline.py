"""Tests of baselines: known findings do not fail a run, new ones do, and entries that no longer occur are reported."""

from __future__ import annotations

import gzip
import html
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GOOD = json.loads((ROOT / "fixtures" / "conforming" / "completion" / "text.json").read_bytes())
Isogloss = Callable[..., Any]


@pytest.fixture
def folder(isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write three captures into ``captures``, two with deviations, and make its parent the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "captures").mkdir()
    write_capture(tmp_path / "captures/a.jsonl", {"created": "then"}, {}, {"created": "then", "model": 5})
    write_capture(tmp_path / "captures/b.json", {"object": "answer"})
    write_capture(tmp_path / "captures/c.json", {})
    return tmp_path


def write_capture(path: Path, *changes: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(GOOD | change) + "\n" for change in changes), "utf-8")


@pytest.fixture
def baseline_path(isogloss: Isogloss, folder: Path) -> Path:
    """Write a baseline of the captures in ``folder``, and return its path."""
    result = isogloss("check", "captures", "--write-baseline", "known.json")
    assert (result.returncode, result.stderr) == (0, "4 known findings written to known.json\n")
    return folder / "known.json"


def test_known_findings_neither_fail_the_run_nor_are_printed(isogloss: Isogloss, baseline_path: Path) -> None:
    assert isogloss("check", "captures").returncode == 1
    result = isogloss("check", "captures", "--baseline", baseline_path)
    assert result.returncode == 0
    assert result.stdout == (
        "conforms: 5 exchanges in 3 files (5 completions): 0 errors, 0 warnings, 0 notes, 4 known findings\n"
    )


def test_a_baseline_of_the_configuration_need_not_exist_when_it_is_written(isogloss: Isogloss, folder: Path) -> None:
    (folder / "isogloss.toml").write_text('baseline = "known.json"\n')
    written = isogloss("check", "captures", "--write-baseline", "known.json")
    assert (written.returncode, written.stderr) == (0, "4 known findings written to known.json\n")
    assert isogloss("check", "captures").returncode == 0
    assert isogloss("check", "captures", "--write-baseline", "known.json").stdout == written.stdout


def test_a_baseline_of_the_configuration_that_does_not_exist_is_an_error_at_its_key(
    isogloss: Isogloss, folder: Path
) -> None:
    (folder / "isogloss.toml").write_text('fail-on = "error"\nbaseline = "known.json"\n')
    result = isogloss("check", "captures")
    assert result.returncode == 2
    message = "baseline: there is no file known.json; --write-baseline known.json writes it"
    assert f"Error: isogloss.toml:2:1: {message}" in result.stderr


def test_a_page_counts_the_known_findings(isogloss: Isogloss, baseline_path: Path) -> None:
    page = isogloss("check", "captures", "--baseline", baseline_path, "--format", "html").stdout
    assert '<p class="summary">5 exchanges in 3 files (5 completions), 4 known findings</p>' in page
    assert "known finding" not in isogloss("check", "captures", "--format", "html").stdout


def test_a_new_finding_fails_the_run_beside_known_ones(isogloss: Isogloss, baseline_path: Path) -> None:
    write_capture(baseline_path.parent / "captures/c.json", {"id": 5})
    result = isogloss("check", "captures", "--baseline", baseline_path)
    assert result.returncode == 1
    assert [line.split(":")[0] for line in result.stdout.splitlines() if "error[" in line] == ["captures/c.json"]


def test_a_known_finding_that_occurs_once_more_fails_the_run(isogloss: Isogloss, baseline_path: Path) -> None:
    write_capture(
        baseline_path.parent / "captures/a.jsonl",
        {"created": "then"},
        {"created": "now"},
        {"created": "then", "model": 5},
    )
    result = isogloss("check", "captures", "--baseline", baseline_path)
    assert result.returncode == 1
    assert "captures/a.jsonl:3:" in result.stdout
    assert result.stdout.count("error[") == 1


@pytest.mark.parametrize("paths", [("captures",), ("captures/c.json", "captures/b.json", "captures/a.jsonl")])
def test_moved_lines_and_another_order_of_files_make_no_finding_new(
    isogloss: Isogloss, baseline_path: Path, paths: tuple[str, ...]
) -> None:
    (baseline_path.parent / "captures/b.json").write_text(json.dumps(GOOD | {"object": "answer"}, indent=4), "utf-8")
    write_capture(
        baseline_path.parent / "captures/a.jsonl", {}, {}, {"created": "then", "model": 5}, {"created": "then"}
    )
    assert isogloss("check", *paths, "--baseline", baseline_path).returncode == 0


def test_a_baseline_means_the_same_in_every_current_folder(
    isogloss: Isogloss, baseline_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(baseline_path.parent / "captures")
    assert isogloss("check", ".", "--baseline", "../known.json").returncode == 0
    assert isogloss("check", baseline_path.parent / "captures", "--baseline", baseline_path).returncode == 0


def test_entries_that_no_longer_occur_are_reported(isogloss: Isogloss, baseline_path: Path) -> None:
    write_capture(baseline_path.parent / "captures/a.jsonl", {"created": "then"})
    result = isogloss("check", "captures", "--baseline", baseline_path)
    assert result.returncode == 0
    assert result.stdout.splitlines()[:3] == [
        "captures/a.jsonl: [wrong-type] completion /created: no longer occurs",
        "captures/a.jsonl: [wrong-type] completion /model: no longer occurs",
        "known.json: 2 entries can be removed; --write-baseline writes the file anew",
    ]
    report = json.loads(isogloss("check", "captures", "--baseline", baseline_path, "--format", "json").stdout)
    assert report["baseline"]["known"] == 2
    assert [entry["pointer"] for entry in report["baseline"]["gone"]] == ["/created", "/model"]


@pytest.mark.parametrize(
    "options",
    [
        ("--select", "json"),
        ("--ignore", "schema"),
        ("--min-severity", "error"),
        ("--min-severity", "warning", "--fail-on", "warning"),
    ],
)
def test_entries_that_nobody_looked_for_do_not_count_as_gone(
    isogloss: Isogloss, folder: Path, options: tuple[str, ...]
) -> None:
    write_capture(folder / "captures/d.json", {"service_tier": "other", "own": 1})  # a warning and a note
    known = folder / "all.json"
    isogloss("check", "captures", "--fail-on", "note", "--write-baseline", known)
    assert {"unknown-value", "unknown-property"} <= {one["rule"] for one in json.loads(known.read_text())["findings"]}
    result = isogloss("check", "captures", "--baseline", known, *options)
    assert (result.returncode, result.stderr) == (0, "")
    assert "no longer occurs" not in result.stdout


def test_entries_of_a_file_that_can_no_longer_be_read_do_not_count_as_gone(isogloss: Isogloss, folder: Path) -> None:
    packed = folder / "captures/d.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(GOOD | {"created": "then"}).encode()))
    known = folder / "all.json"
    isogloss("check", "captures", "--write-baseline", known)
    assert "captures/d.json.gz" in known.read_text("utf-8")
    packed.write_bytes(packed.read_bytes()[:30])
    result = isogloss("check", "captures", "--baseline", known)
    assert "captures/d.json.gz: skipped: " in result.stdout
    assert "no longer occurs" not in result.stdout


def test_entries_of_unchecked_files_are_reported_only_if_the_file_is_gone(
    isogloss: Isogloss, baseline_path: Path
) -> None:
    result = isogloss("check", "captures/c.json", "--baseline", baseline_path)
    assert "no longer occurs" not in result.stdout
    (baseline_path.parent / "captures/b.json").unlink()
    result = isogloss("check", "captures/c.json", "--baseline", baseline_path)
    assert "captures/b.json: [unknown-value] completion /object: no longer occurs" in result.stdout
    assert "1 entry can be removed" in result.stdout


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_every_format_for_people_lists_the_entries_that_no_longer_occur(
    isogloss: Isogloss, baseline_path: Path, output_format: str
) -> None:
    (baseline_path.parent / "captures/b.json").unlink()
    result = isogloss("check", "captures/c.json", "--baseline", baseline_path, "--format", output_format)
    assert result.returncode == 0
    shown = html.unescape(result.stdout).replace("\\", "")
    assert shown.count("captures/b.json: [unknown-value] completion /object: no longer occurs") == 1
    assert shown.count("1 entry can be removed; --write-baseline writes the file anew") == 1


@pytest.mark.parametrize("output_format", ["text", "github"])
def test_no_entry_that_no_longer_occurs_is_a_command_for_a_ci_runner(
    isogloss: Isogloss, baseline_path: Path, output_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    baseline = baseline_path.rename(baseline_path.with_name("::warning::known.json"))
    baseline.write_text(baseline.read_text("utf-8").replace("captures/b.json", "::error::b.json"), "utf-8")
    printed = isogloss("check", "captures", "--baseline", baseline.name, "--format", output_format).stdout
    assert "./::error::b.json: [unknown-value] completion /object: no longer occurs" in printed
    assert not [line for line in printed.splitlines() if line.startswith(("::error::b", "::warning::known"))]


def test_entries_of_standard_input_and_of_archives_are_reported_only_if_these_are_checked(
    isogloss: Isogloss, folder: Path
) -> None:
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("a.json", json.dumps(GOOD | {"created": "then"}))
    known = "captures/known.json"  # in another folder than the archive
    deviating = json.dumps(GOOD | {"model": 5})
    result = isogloss("check", "more.zip", "-", "--write-baseline", known, input=deviating)
    assert "2 known findings" in result.stderr
    assert "no longer occurs" not in isogloss("check", "captures/c.json", "--baseline", known).stdout
    result = isogloss("check", "more.zip", "-", "--baseline", known, input=json.dumps(GOOD))
    assert result.stdout.count("no longer occurs") == 1


def test_keys_in_a_baseline_are_masked_where_its_entries_are_reported(isogloss: Isogloss, baseline_path: Path) -> None:
    key = "sk-proj-Zq8LmN4xR7vT2wY6pK1s"
    text = baseline_path.read_text("utf-8").replace("captures/b.json", f"captures/{key}.json")
    baseline_path.write_text(text, "utf-8")
    result = isogloss("check", "captures", "--baseline", baseline_path)
    gone = [line for line in result.stdout.splitlines() if line.endswith("no longer occurs")]
    assert [line.partition(":")[0] for line in gone] == [f"captures/sk-{'*' * len(key[3:])}.json"]


def test_an_entry_that_is_listed_twice_counts_twice(isogloss: Isogloss, baseline_path: Path) -> None:
    baseline = json.loads(baseline_path.read_bytes())
    entries = [entry | {"count": 1} for entry in baseline["findings"] for _ in range(entry["count"])]
    assert len(entries) > len(baseline["findings"])
    baseline_path.write_text(json.dumps(baseline | {"findings": entries}), "utf-8")
    assert isogloss("check", "captures", "--baseline", baseline_path).returncode == 0


@pytest.mark.parametrize("count", [0, -1, True, 1.0, "1", None])
def test_a_count_that_is_not_a_positive_integer_is_a_usage_error(
    isogloss: Isogloss, baseline_path: Path, count: object
) -> None:
    baseline = json.loads(baseline_path.read_bytes())
    baseline["findings"][1]["count"] = count
    baseline_path.write_text(json.dumps(baseline), "utf-8")
    result = isogloss("check", "captures", "--baseline", baseline_path)
    assert result.returncode == 2
    second = baseline_path.read_text("utf-8").index('{"file"', 60)
    assert f"known.json:1:{second + 1}: this is not an entry of a baseline" in result.stderr


def test_only_findings_that_fail_the_run_are_written_and_always_in_the_same_order(
    isogloss: Isogloss, folder: Path
) -> None:
    write_capture(folder / "captures/c.json", {"provider": "example"})
    isogloss("check", "captures", "--write-baseline", "one.json")
    text = (folder / "one.json").read_text("utf-8")
    assert "unknown-property" not in text
    isogloss("check", "captures/c.json", "captures/b.json", "captures/a.jsonl", "--write-baseline", "two.json")
    assert (folder / "two.json").read_text("utf-8") == text
    isogloss("check", "captures", "--write-baseline", "one.json", "--fail-on", "note")
    assert "unknown-property" in (folder / "one.json").read_text("utf-8")


def test_a_baseline_has_no_line_numbers_messages_or_content(baseline_path: Path) -> None:
    entries = json.loads(baseline_path.read_bytes())["findings"]
    assert entries
    assert all(entry.keys() == {"file", "rule", "kind", "pointer", "count"} for entry in entries)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read the baseline"),
        ('{"baseline_version": 1,', "if it is a baseline that was damaged, --write-baseline known.json writes it anew"),
        ("# Baseline\n", "the baseline is not JSON: JSON does not begin with this; is it the right file?\n"),
        ("", "known.json:1:1: the baseline is not JSON: there is no value; if it is a baseline"),
        ("[]", "is not a baseline of version 1, as --write-baseline writes it"),
        ('{"baseline_version": 2}', "is not a baseline of version 1"),
        ('{"baseline_version": 1}', "known.json:1:1: a baseline has a list of findings"),
        ('{"baseline_version": 1, "findings": {}}', "known.json:1:37: a baseline has a list of findings"),
        ('{"baseline_version": 1, "findings": [{"file": "a"}]}', "known.json:1:38: this is not an entry"),
    ],
)
def test_an_invalid_baseline_is_a_usage_error(isogloss: Isogloss, folder: Path, text: str | None, message: str) -> None:
    if text is not None:
        (folder / "known.json").write_text(text, "utf-8")
    result = isogloss("check", "captures", "--baseline", "known.json")
    assert result.returncode == 2
    assert message in result.stderr


def test_a_name_that_no_file_can_have_is_a_usage_error(isogloss: Isogloss, folder: Path) -> None:
    (folder / "isogloss.toml").write_text('baseline = "\\u0000"\n', "utf-8")
    result = isogloss("check", "captures")
    assert result.returncode == 2
    assert "isogloss.toml:1:1: baseline: there is no file" in result.stderr


def test_a_baseline_that_may_not_be_read_says_what_to_do_and_may_be_replaced(
    isogloss: Isogloss, folder: Path, baseline_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file = Path.open

    def open_others(path: Path, mode: str = "r", **options: Any) -> Any:
        if path.name == baseline_path.name and mode == "rb":
            raise PermissionError(13, "Permission denied")
        return open_file(path, mode, **options)

    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != baseline_path.name)
    monkeypatch.setattr(Path, "open", open_others)
    result = isogloss("check", "captures", "--baseline", baseline_path)
    assert result.returncode == 2
    assert f"{baseline_path.name} cannot be read: you have no permission; change its mode (chmod), or" in result.stderr
    assert isogloss("check", "captures", "--write-baseline", baseline_path).returncode == 0


def test_a_baseline_that_cannot_be_written_is_an_error(isogloss: Isogloss, folder: Path) -> None:
    result = isogloss("check", "captures", "--write-baseline", "nowhere/known.json")
    assert result.returncode == 2
    assert "nowhere/known.json cannot be written: there is no folder 'nowhere'" in result.stderr
