"""Baselines: known findings do not fail, new ones do, and entries that no longer occur are reported."""

from __future__ import annotations

import json
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
    """Where one stands: a folder with three captures, two of them with faults."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "captures").mkdir()
    write(tmp_path / "captures/a.jsonl", {"created": "then"}, {}, {"created": "then", "model": 5})
    write(tmp_path / "captures/b.json", {"object": "answer"})
    write(tmp_path / "captures/c.json", {})
    return tmp_path


def write(path: Path, *changes: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(GOOD | change) + "\n" for change in changes), "utf-8")


@pytest.fixture
def known(isogloss: Isogloss, folder: Path) -> Path:
    done = isogloss("check", "captures", "--write-baseline", "known.json")
    assert (done.returncode, done.stderr) == (0, "4 known findings written to known.json\n")
    return folder / "known.json"


def test_what_a_baseline_knows_fails_nothing_and_is_not_told_again(isogloss: Isogloss, known: Path) -> None:
    assert isogloss("check", "captures").returncode == 1
    done = isogloss("check", "captures", "--baseline", known)
    assert done.returncode == 0
    assert done.stdout == (
        "conforms: 5 exchanges in 3 files (5 completions): 0 errors, 0 warnings, 0 notes, 4 known findings\n"
    )


def test_a_new_fault_fails_beside_known_ones(isogloss: Isogloss, known: Path) -> None:
    write(known.parent / "captures/c.json", {"id": 5})
    done = isogloss("check", "captures", "--baseline", known)
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stdout.splitlines()[:-1]] == ["captures/c.json"]


def test_a_known_fault_that_occurs_once_more_fails(isogloss: Isogloss, known: Path) -> None:
    write(known.parent / "captures/a.jsonl", {"created": "then"}, {"created": "now"}, {"created": "then", "model": 5})
    done = isogloss("check", "captures", "--baseline", known)
    assert done.returncode == 1
    assert "captures/a.jsonl:3:" in done.stdout
    assert done.stdout.count("error[") == 1


@pytest.mark.parametrize("paths", [("captures",), ("captures/c.json", "captures/b.json", "captures/a.jsonl")])
def test_moved_lines_and_another_order_of_files_make_nothing_new(
    isogloss: Isogloss, known: Path, paths: tuple[str, ...]
) -> None:
    (known.parent / "captures/b.json").write_text(json.dumps(GOOD | {"object": "answer"}, indent=4), "utf-8")
    write(known.parent / "captures/a.jsonl", {}, {}, {"created": "then", "model": 5}, {"created": "then"})
    assert isogloss("check", *paths, "--baseline", known).returncode == 0


def test_a_baseline_means_the_same_from_everywhere(
    isogloss: Isogloss, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(known.parent / "captures")
    assert isogloss("check", ".", "--baseline", "../known.json").returncode == 0
    assert isogloss("check", known.parent / "captures", "--baseline", known).returncode == 0


def test_what_no_longer_occurs_is_told(isogloss: Isogloss, known: Path) -> None:
    write(known.parent / "captures/a.jsonl", {"created": "then"})
    done = isogloss("check", "captures", "--baseline", known)
    assert done.returncode == 0
    assert done.stdout.splitlines()[:3] == [
        "captures/a.jsonl: [wrong-type] completion /created: no longer occurs",
        "captures/a.jsonl: [wrong-type] completion /model: no longer occurs",
        "known.json: 2 entries can go; --write-baseline writes it anew",
    ]
    report = json.loads(isogloss("check", "captures", "--baseline", known, "--format", "json").stdout)
    assert report["baseline"]["known"] == 2
    assert [one["pointer"] for one in report["baseline"]["gone"]] == ["/created", "/model"]


def test_of_files_that_were_not_checked_nothing_is_gone_unless_they_are(isogloss: Isogloss, known: Path) -> None:
    done = isogloss("check", "captures/c.json", "--baseline", known)
    assert "no longer occurs" not in done.stdout
    (known.parent / "captures/b.json").unlink()
    done = isogloss("check", "captures/c.json", "--baseline", known)
    assert "captures/b.json: [unknown-value] completion /object: no longer occurs" in done.stdout
    assert "1 entry can go" in done.stdout


def test_what_was_known_of_standard_input_or_of_an_archive_is_not_gone_when_they_are_not_checked(
    isogloss: Isogloss, folder: Path
) -> None:
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("a.json", json.dumps(GOOD | {"created": "then"}))
    faulty = json.dumps(GOOD | {"model": 5})
    done = isogloss("check", "more.zip", "-", "--write-baseline", "known.json", input=faulty)
    assert "2 known findings" in done.stderr
    assert "no longer occurs" not in isogloss("check", "captures/c.json", "--baseline", "known.json").stdout
    done = isogloss("check", "more.zip", "-", "--baseline", "known.json", input=json.dumps(GOOD))
    assert done.stdout.count("no longer occurs") == 1


def test_an_entry_that_stands_there_twice_counts_twice(isogloss: Isogloss, known: Path) -> None:
    baseline = json.loads(known.read_bytes())
    entries = [entry | {"count": 1} for entry in baseline["findings"] for _ in range(entry["count"])]
    assert len(entries) > len(baseline["findings"])
    known.write_text(json.dumps(baseline | {"findings": entries}), "utf-8")
    assert isogloss("check", "captures", "--baseline", known).returncode == 0


@pytest.mark.parametrize("count", [0, -1, True, 1.0, "1", None])
def test_a_count_is_a_positive_integer(isogloss: Isogloss, known: Path, count: object) -> None:
    baseline = json.loads(known.read_bytes())
    baseline["findings"][1]["count"] = count
    known.write_text(json.dumps(baseline), "utf-8")
    done = isogloss("check", "captures", "--baseline", known)
    assert done.returncode == 2
    assert "entry 1 of findings" in done.stderr


def test_only_what_would_fail_is_written_and_twice_the_same(isogloss: Isogloss, folder: Path) -> None:
    write(folder / "captures/c.json", {"provider": "example"})
    isogloss("check", "captures", "--write-baseline", "one.json")
    text = (folder / "one.json").read_text("utf-8")
    assert "unknown-property" not in text
    isogloss("check", "captures/c.json", "captures/b.json", "captures/a.jsonl", "--write-baseline", "two.json")
    assert (folder / "two.json").read_text("utf-8") == text
    isogloss("check", "captures", "--write-baseline", "one.json", "--fail-on", "note")
    assert "unknown-property" in (folder / "one.json").read_text("utf-8")


def test_neither_line_numbers_nor_messages_nor_content_are_written(known: Path) -> None:
    for entry in json.loads(known.read_bytes())["findings"]:
        assert entry.keys() == {"file", "rule", "kind", "pointer", "count"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read the baseline"),
        ("{", "is no JSON"),
        ("[]", "is no baseline of version 1"),
        ('{"baseline_version": 2}', "is no baseline of version 1"),
        ('{"baseline_version": 1}', "entry 0 of findings is none"),
        ('{"baseline_version": 1, "findings": [{"file": "a"}]}', "entry 0 of findings is none"),
    ],
)
def test_what_is_no_baseline_is_a_usage_error(isogloss: Isogloss, folder: Path, text: str | None, message: str) -> None:
    if text is not None:
        (folder / "known.json").write_text(text, "utf-8")
    done = isogloss("check", "captures", "--baseline", "known.json")
    assert done.returncode == 2
    assert message in done.stderr


def test_a_baseline_that_cannot_be_written_is_told(isogloss: Isogloss, folder: Path) -> None:
    done = isogloss("check", "captures", "--write-baseline", "nowhere/known.json")
    assert done.returncode == 2
    assert "cannot write to nowhere/known.json" in done.stderr
