"""Fixtures that run the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from isogloss.cli.main import cli
from isogloss.cli.reading import jobs

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")


class Result(NamedTuple):
    """Exit code and output of one run of ``isogloss``."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def isogloss(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a function that runs ``isogloss`` in this process, with the checkout as the current folder.

    This is about fifty times faster than a process of its own.
    """
    monkeypatch.chdir(ROOT)

    def run(*arguments: str | bytes | Path, input: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(
            cli, [*map(os.fsdecode, arguments)], input, prog_name="isogloss", catch_exceptions=False
        )
        return Result(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def shared_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits of ``jobs``: processes share even little work, and even small files are cut into pieces."""
    for name, value in {"_WORTH": 0, "_PIECE": 1 << 14, "_LARGE": 1 << 15, "_BATCH": 1 << 15}.items():
        monkeypatch.setattr(jobs, name, value)


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Return the environment variables of the tests, without those that change the colours or the width of output."""
    dropped = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTHONWARNINGS", "PYTHONUNBUFFERED")
    return {name: value for name, value in os.environ.items() if name not in dropped}


@pytest.fixture(scope="session")
def run_process(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs ``isogloss`` in a process of its own, in the checkout.

    The function fails if ``isogloss`` prints a traceback.
    """

    def run(*arguments: str | bytes | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"cwd": ROOT, "env": environment, "encoding": "utf-8", "capture_output": True} | options
        if "input" not in options and "stdin" not in options:
            options["stdin"] = subprocess.DEVNULL
        result = subprocess.run([*COMMAND, *arguments], check=False, **options)
        if isinstance(result.stderr, str):
            assert "Traceback" not in result.stderr, result.stderr
        return result

    return run


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with the files of a repository, and make it the current folder. Git itself is not run."""
    folder = tmp_path / "repository"
    (folder / ".git" / "info").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(folder)
    return folder
