"""Tests of the progress bar and the line of progress: a long run shows them on a terminal, and nowhere else."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from terminals import Terminal

from isogloss.cli.process import progress
from isogloss.cli.reading.jobs import Share, batches

GOOD = json.loads((Path(__file__).parents[2] / "fixtures/conforming/completion/text.json").read_bytes())


def _run_with_bar(
    monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, *, quiet: bool = False, patience: float = 0.0
) -> str:
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", stderr)
    with progress.ProgressBar(quiet=quiet) as bar:
        assert list(bar.track("abc")) == ["a", "b", "c"]
        for _ in range(3):
            bar.advance()
    return stderr.getvalue()


def test_a_terminal_shows_the_checked_files_the_speed_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", _run_with_bar(monkeypatch, Terminal()))
    assert re.search(r"3/3 files [\d,]+ a second 0:00:00", shown)


def test_a_short_run_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run_with_bar(monkeypatch, Terminal(), patience=60.0) == ""


def test_a_pipe_and_a_quiet_run_show_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run_with_bar(monkeypatch, io.StringIO()) == ""
    assert _run_with_bar(monkeypatch, Terminal(), quiet=True) == ""


@pytest.mark.parametrize(
    ("stderr", "patience", "is_shown"),
    [(Terminal(), 0.0, True), (Terminal(), 60.0, False), (io.StringIO(), 0.0, False)],
)
def test_a_long_search_says_on_a_terminal_how_far_it_has_come(
    monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, patience: float, is_shown: bool
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", stderr)
    with progress.Status() as status:
        status.show("1/2  plain")
    assert ("1/2  plain" in stderr.getvalue()) == is_shown


def _count_advances(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each progress bar adds how many files were done at once."""
    advances: list[int] = []
    monkeypatch.setattr(progress.ProgressBar, "advance", lambda _, files=1: advances.append(files))
    return advances


def test_a_run_advances_the_bar_by_each_file(
    isogloss: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.json", "b.json", "c.json"):
        (tmp_path / name).write_text(json.dumps(GOOD))
    advances = _count_advances(monkeypatch)
    assert isogloss("check", tmp_path, "--jobs", "1").returncode == 0
    assert advances == [1, 1, 1]


@pytest.mark.usefixtures("shared_work")
def test_a_run_with_several_processes_advances_the_bar_by_each_file_once(
    isogloss: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    (tmp_path / "b.jsonl").write_text(f"{json.dumps(GOOD)}\n" * 120)  # which is cut into pieces
    (tmp_path / "c.json").write_text(json.dumps(GOOD))
    rows = pa.table({"response": [json.dumps(GOOD)] * 200})
    pq.write_table(rows, tmp_path / "d.parquet", row_group_size=20, use_dictionary=False, compression="none")
    shares = list(batches([str(tmp_path / "d.parquet")], None, None))
    assert {type(share) for share in shares} == {Share}
    advances = _count_advances(monkeypatch)
    assert isogloss("check", tmp_path, "--jobs", "2").returncode == 0
    assert len(advances) > 3 + len(shares) > 5
    assert sum(advances) == 4
