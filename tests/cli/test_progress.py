"""Tests of the progress bar: a long run shows it on a terminal, and nowhere else."""

from __future__ import annotations

import io
import re

import pytest

from isogloss.cli.process import progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", _run_with_bar(monkeypatch, _Terminal()))
    assert re.search(r"3/3 files [\d,]+ a second 0:00:00", shown)


def test_a_short_run_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run_with_bar(monkeypatch, _Terminal(), patience=60.0) == ""


def test_a_pipe_and_a_quiet_run_show_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run_with_bar(monkeypatch, io.StringIO()) == ""
    assert _run_with_bar(monkeypatch, _Terminal(), quiet=True) == ""
