"""The command line as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from isogloss.cli import jobs
from isogloss.cli.main import cli

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")


class Done(NamedTuple):
    """What a run came to."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def isogloss(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run ``isogloss`` in this process, in the checkout. This is about fifty times faster than a process of its own."""
    monkeypatch.chdir(ROOT)

    def run(*arguments: str | bytes | Path, input: str | bytes | None = None) -> Done:
        result = CliRunner().invoke(
            cli, [*map(os.fsdecode, arguments)], input, prog_name="isogloss", catch_exceptions=False
        )
        return Done(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def shared_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that a little work is shared by several processes and a small file is cut into pieces."""
    for name, value in {"_WORTH": 0, "_PIECE": 1 << 14, "_LARGE": 1 << 15, "_BATCH": 1 << 15}.items():
        monkeypatch.setattr(jobs, name, value)


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Return the environment of the tests, without the variables that change the colours or the width of output."""
    dropped = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTHONWARNINGS")
    return {name: value for name, value in os.environ.items() if name not in dropped}


@pytest.fixture(scope="session")
def process(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``isogloss`` in a process of its own, in the checkout, and check that it prints no traceback."""

    def run(*arguments: str | bytes | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"cwd": ROOT, "env": environment, "encoding": "utf-8", "capture_output": True} | options
        if "input" not in options and "stdin" not in options:
            options["stdin"] = subprocess.DEVNULL
        done = subprocess.run([*COMMAND, *arguments], check=False, **options)
        if isinstance(done.stderr, str):
            assert "Traceback" not in done.stderr, done.stderr
        return done

    return run
