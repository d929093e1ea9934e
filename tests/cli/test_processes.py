"""What happens to a run of several processes when it is stopped, or one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="child processes are looked up in /proc")

LINE = (Path(__file__).parents[2] / "fixtures" / "conforming" / "completion" / "text.json").read_bytes()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A check of much more than is done at once, by two processes that have begun."""
    path = tmp_path / "many.jsonl"
    path.write_bytes((LINE.replace(b"\n", b" ") + b"\n") * (60 << 20 >> 10))
    command = [sys.executable, "-c", "from isogloss.cli.main import main; main()"]
    with subprocess.Popen(
        [*command, "check", "--jobs", "2", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        for _ in range(1000):
            if len(children(process.pid)) == 2 or process.poll() is not None:
                break
            time.sleep(0.01)
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []


def gone(pid: int) -> bool:
    for _ in range(500):
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.01)
    return False


def test_stopping_from_the_keyboard_ends_all_processes_without_a_traceback(run: subprocess.Popen[str]) -> None:
    workers = children(run.pid)
    assert len(workers) == 2
    os.killpg(run.pid, signal.SIGINT)
    out, error = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "Traceback" not in out + error
    assert all(gone(worker) for worker in workers)


def test_a_process_that_is_killed_ends_the_run_with_a_message(run: subprocess.Popen[str]) -> None:
    workers = children(run.pid)
    os.kill(workers[0], signal.SIGKILL)
    out, error = run.communicate(timeout=30)
    assert run.returncode == 3
    assert "a process was killed" in error
    assert "--jobs 1" in error
    assert "Traceback" not in out + error
    assert all(gone(worker) for worker in workers)
