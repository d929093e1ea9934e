"""Test how a run ends that a signal interrupts, with one process or several, or in which one is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="child processes are looked up in /proc"),
]

COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")
LINE = (Path(__file__).parents[2] / "fixtures" / "conforming" / "completion" / "text.json").read_bytes()
EXIT_CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGKILL: -signal.SIGKILL}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a check with two processes, and yield it once each of them waits for data from a pipe."""
    fillers = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for filler in fillers:
        filler.write_bytes((LINE.replace(b"\n", b" ") + b"\n") * ((5 << 20) // len(LINE)))
    pipes = [tmp_path / "one.pipe", tmp_path / "two.pipe"]
    for pipe in pipes:
        os.mkfifo(pipe)
    paths = [str(path) for pair in zip(pipes, fillers, strict=True) for path in pair]
    with (
        subprocess.Popen(
            [*COMMAND, "check", "--jobs", "2", "--output", f"json:{tmp_path / 'report.json'}", *paths],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
        ThreadPoolExecutor() as executor,
    ):
        # Opening a pipe for writing returns when a process opens it for reading.
        futures = [executor.submit(os.open, pipe, os.O_WRONLY) for pipe in pipes]
        write_ends: list[int] = []
        try:
            write_ends += [future.result(timeout=60) for future in futures]
            yield process
        finally:
            # Threads that still wait to open a pipe return now.
            read_ends = [os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) for pipe in pipes]
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            for descriptor in (*read_ends, *write_ends):
                os.close(descriptor)


def list_children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_worker(pid: int) -> bool:
    """Return whether a process checks files. One other child process tracks shared resources."""
    return "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text()


def wait_for_end(run: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait until all processes have ended, and return what they wrote.

    Each process keeps the outputs open as long as it lives.
    """
    out, error = run.communicate(timeout=60)
    assert "Traceback" not in out + error
    return out, error


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda number: number.name)
def test_a_run_ended_by_a_signal_leaves_no_process_and_no_file(
    run: subprocess.Popen[str], number: signal.Signals, tmp_path: Path
) -> None:
    assert len(list_children(run.pid)) == 2
    os.kill(run.pid, number)  # only to the main process, as a time limit does
    _, error = wait_for_end(run)
    assert run.returncode == EXIT_CODES[number]
    assert error == ("" if number == signal.SIGKILL else f"Error: ended by {number.name}\n")
    assert {path.name for path in tmp_path.iterdir()} == {"one.jsonl", "two.jsonl", "one.pipe", "two.pipe"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_to_the_process_group_is_reported_once(run: subprocess.Popen[str], number: signal.Signals) -> None:
    os.killpg(run.pid, number)
    _, error = wait_for_end(run)
    assert (run.returncode, error) == (EXIT_CODES[number], f"Error: ended by {number.name}\n")


def test_an_interrupt_from_the_keyboard_ends_all_processes(run: subprocess.Popen[str]) -> None:
    os.killpg(run.pid, signal.SIGINT)
    assert wait_for_end(run)[1] == ""
    assert run.returncode == 130


def test_a_killed_process_ends_the_run_with_a_message(run: subprocess.Popen[str]) -> None:
    os.kill(list_children(run.pid)[0], signal.SIGKILL)
    _, error = wait_for_end(run)
    assert run.returncode == 3
    assert "a process was killed" in error
    assert "--jobs 1" in error


def test_a_process_killed_while_it_reads_tables_ends_the_run_with_a_message(tmp_path: Path) -> None:
    bad = LINE.replace(b'"chat.completion"', b'"completion"').decode()
    for number in range(12):
        pads = [random.randbytes(2300) for _ in range(400)]  # make each file large enough for a process of its own
        pq.write_table(pa.table({"response": [bad] * 400, "pad": pads}), tmp_path / f"{number}.parquet")
    command = [*COMMAND, "check", "--jobs", "2", "--format", "jsonl", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the rest fills the pipe, so the run waits before most of its work is done
        workers = [child for child in list_children(process.pid) if is_worker(child)]
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 3
    assert f"a process was killed while it checked files, at or after {tmp_path}" in error


def test_signals_that_the_parent_process_ignores_stay_ignored() -> None:
    ignore_signal = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    send_signal = (
        "import os; from isogloss.cli.process import signals; "
        "signals.end_at_once(); os.kill(os.getpid(), signal.SIGHUP)"
    )
    result = subprocess.run([sys.executable, "-c", ignore_signal + send_signal], check=False, capture_output=True)
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("number", [*EXIT_CODES], ids=lambda number: number.name)
def test_a_signal_at_any_moment_leaves_no_traceback_no_process_and_no_partial_file(
    tmp_path: Path, number: signal.Signals, environment: dict[str, str], write_many: Callable[[int], Path]
) -> None:
    rng = random.Random(int(number))
    paths = write_many(12 << 20)
    for moment in sorted(rng.uniform(0.2, 1.5) for _ in range(25)):
        report = tmp_path / "reports"
        report.mkdir(exist_ok=True)
        arguments = ("check", "--jobs", "2", "--output", f"json:{report / 'report.json'}", str(paths))
        with subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        ) as process:
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, number)
            out, error = process.communicate(timeout=60)
        # -number: the signal came while the interpreter started or ended, when isogloss does not handle signals
        assert process.returncode in (0, 1, EXIT_CODES[number], -number), error
        if process.returncode != -signal.SIGINT:
            assert "Traceback" not in out + error, (moment, error)
        if number != signal.SIGKILL:  # SIGKILL leaves no time to remove files
            assert {path.name for path in report.iterdir()} <= {"report.json"}


@pytest.fixture
def write_many(tmp_path: Path) -> Callable[[int], Path]:
    """Return a function that writes files of about ``size`` bytes together, and returns their folder."""

    def write(size: int) -> Path:
        folder = tmp_path / "many"
        folder.mkdir()
        for number in range(8):
            (folder / f"{number}.jsonl").write_bytes((LINE.replace(b"\n", b" ") + b"\n") * (size // 8 // len(LINE)))
        return folder

    return write


@pytest.mark.parametrize("module", ["isogloss.cli.process.output", "isogloss.cli.commands.check", "orjson"])
def test_an_interrupt_while_modules_are_imported_ends_without_a_traceback(module: str) -> None:
    code = (
        "import os, signal, sys\n"
        "class Interrupter:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupter())\n"
        "from isogloss.cli.start import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, "check", "fixtures/conforming/completion/text.json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_an_interrupt_where_python_drops_exceptions_ends_the_run_all_the_same() -> None:
    code = (
        "import os, signal, weakref\n"
        "from isogloss.cli.main import main\n"
        "from isogloss.validator import rules\n"
        "names, kept = rules.names, [type('Object', (), {})()]\n"
        "watched = weakref.ref(kept[0], lambda _: (os.kill(os.getpid(), signal.SIGINT), None))\n"
        "rules.names = lambda *given: kept.clear() or names(*given)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "main(['rules'])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")
