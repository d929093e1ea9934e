"""Where the output goes: a terminal, a pipe that closes, one that cannot encode it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")
DEVIATING = ("check", "fixtures/captures/json/pair.json")


def on_a_terminal(*arguments: str, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and output of a run with a terminal as standard output, but not as standard error: no bar is shown."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    ) as running:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: the other side is closed
                break
            if not part:
                break
            parts.append(part)
        assert running.stderr is not None
        assert running.stderr.read() == b""
    os.close(ours)
    return running.returncode, b"".join(parts).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours(environment: dict[str, str]) -> None:
    code, shown = on_a_terminal(*DEVIATING, environment=environment | {"TERM": "xterm-256color"})
    assert code == 1
    assert "\x1b[1;31merror\x1b[0m" in shown
    assert "\n\x1b[1mdeviates: " in shown


@pytest.mark.parametrize(
    ("options", "variables"), [((), {"NO_COLOR": "1"}), (("--color", "never"), {"FORCE_COLOR": "1"})]
)
def test_a_terminal_gets_none_where_none_are_wanted(
    environment: dict[str, str], options: tuple[str, ...], variables: dict[str, str]
) -> None:
    terminal = environment | {"TERM": "xterm-256color"} | variables
    code, shown = on_a_terminal(*DEVIATING, *options, environment=terminal)
    assert code == 1
    assert "error[wrong-type]" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (("--color", "always"), {}),
        ((), {"FORCE_COLOR": "1"}),
        (("--color", "always"), {"NO_COLOR": "1"}),
    ],
)
def test_a_pipe_gets_colours_where_they_are_forced(
    environment: dict[str, str],
    process: Callable[..., Any],
    isogloss: Callable[..., Any],
    options: tuple[str, ...],
    variables: dict[str, str],
) -> None:
    forced = process(*DEVIATING, *options, env=environment | variables).stdout
    assert "\x1b[1;31merror\x1b[0m" in forced
    assert re.sub(r"\x1b\[[0-9;]*m", "", forced) == isogloss(*DEVIATING).stdout


REPORT = ("report", "fixtures/captures/json/pair.json")


@pytest.mark.parametrize(("options", "variables"), [(("--color", "always"), {}), ((), {"FORCE_COLOR": "1"})])
def test_the_report_of_dialects_is_coloured_where_that_is_forced_and_in_no_file(
    environment: dict[str, str],
    process: Callable[..., Any],
    isogloss: Callable[..., Any],
    options: tuple[str, ...],
    variables: dict[str, str],
    tmp_path: Path,
) -> None:
    plain = isogloss(*REPORT).stdout
    forced = process(*REPORT, *options, env=environment | variables).stdout
    assert "\x1b[1mUnexplained\x1b[0m" in forced
    assert re.sub(r"\x1b\[[0-9;]*m", "", forced) == plain
    process(*REPORT, *options, "--output", tmp_path / "report.txt", env=environment | variables)
    assert (tmp_path / "report.txt").read_text("utf-8") == plain


@pytest.mark.parametrize("width", [60, 200])
def test_the_report_of_dialects_fits_a_terminal(environment: dict[str, str], width: int) -> None:
    terminal = environment | {"TERM": "xterm-256color", "COLUMNS": str(width)}
    _, shown = on_a_terminal(*REPORT, "--color", "never", environment=terminal)
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines()[:-1])) <= width


@pytest.mark.parametrize("width", [60, 120])
def test_on_a_terminal_no_line_is_longer_than_it_and_no_word_is_cut(
    environment: dict[str, str], isogloss: Callable[..., Any], width: int
) -> None:
    terminal = environment | {"TERM": "xterm-256color", "NO_COLOR": "1", "COLUMNS": str(width)}
    _, shown = on_a_terminal(*DEVIATING, environment=terminal)
    assert max(map(len, shown.splitlines())) <= width
    told = [line for line in isogloss(*DEVIATING).stdout.splitlines() if not re.match(r" +\| ", line)]
    words = {word for line in told for word in line.split() if not word.startswith("fixtures/")}
    assert words <= set(shown.split())


def test_each_file_is_named_once_on_a_terminal_and_on_each_line_elsewhere(
    environment: dict[str, str], isogloss: Callable[..., Any]
) -> None:
    _, shown = on_a_terminal(*DEVIATING, environment=environment | {"NO_COLOR": "1"})
    assert shown.count(DEVIATING[1]) == 1
    findings = re.findall(r"(?:error|warning|note)\[", shown)
    assert isogloss(*DEVIATING).stdout.count(DEVIATING[1]) == len(findings)


def test_a_pipe_gets_no_colours_even_when_the_terminal_has_them(
    environment: dict[str, str], process: Callable[..., Any]
) -> None:
    assert "\x1b" not in process(*DEVIATING, env=environment | {"TERM": "xterm-256color"}).stdout


def test_json_is_the_same_on_a_terminal_and_in_a_pipe(
    environment: dict[str, str], isogloss: Callable[..., Any]
) -> None:
    _, shown = on_a_terminal(*DEVIATING, "--format", "json", environment=environment | {"TERM": "xterm-256color"})
    assert shown == isogloss(*DEVIATING, "--format", "json").stdout


@pytest.mark.parametrize(
    ("lines", "jobs", "files"),
    [
        pytest.param(("--format", "jsonl"), "1", 60, id="jsonl"),
        pytest.param(("--verbose",), "1", 60, id="verbose"),
        pytest.param(("--format", "jsonl"), "2", 600, id="jsonl-two-processes"),
        pytest.param(("--verbose",), "2", 600, id="verbose-two-processes", marks=pytest.mark.slow),
    ],
)
def test_findings_are_written_before_the_last_file_can_be_read(
    environment: dict[str, str], tmp_path: Path, lines: tuple[str, ...], jobs: str, files: int
) -> None:
    answer = (ROOT / "fixtures" / "captures" / "json" / "pair.json").read_bytes()
    folder, last = tmp_path / "answers", tmp_path / "last.json"
    folder.mkdir()
    for number in range(files):
        (folder / f"{number:05}.json").write_bytes(answer)
    os.mkfifo(last)
    run = [*COMMAND, "check", str(folder), str(last), *lines, "--jobs", jobs]
    with subprocess.Popen(run, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        giving_up = threading.Timer(60, running.kill)  # a run that writes only at its end waits for the last file
        giving_up.start()
        first = next((line for line in running.stdout if b"00000.json" in line), None)
        giving_up.cancel()
        answering = threading.Thread(target=last.write_bytes, args=(answer,), daemon=True)
        answering.start()
        rest = running.stdout.read()
    assert first is not None, "nothing was written before the last file could be read"
    assert b"last.json" in rest


@pytest.mark.parametrize("shared", [False, True], ids=["piped", "same-terminal"])
def test_a_bar_and_what_is_written_meanwhile_keep_apart(
    environment: dict[str, str], tmp_path: Path, shared: bool
) -> None:
    answer = (ROOT / "fixtures" / "captures" / "json" / "pair.json").read_bytes()
    for number in range(30):
        (tmp_path / f"{number:05}.json").write_bytes(answer)
    patient = (
        "from isogloss.cli import progress as p; p._PATIENCE = p._PAUSE = 0; from isogloss.cli.main import main; main()"
    )
    run = [sys.executable, "-c", patient, "check", str(tmp_path), "--format", "jsonl", "--jobs", "1"]
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def watch() -> None:
        try:
            while part := os.read(ours, 65536):
                seen.append(part)
        except OSError:  # Linux: the other side is closed
            pass

    watching = threading.Thread(target=watch)
    watching.start()
    done = subprocess.run(
        run,
        env=environment | {"TERM": "xterm", "COLUMNS": "200"},
        stdout=theirs if shared else subprocess.PIPE,
        stderr=theirs,
        check=False,
    )
    os.close(theirs)
    watching.join()
    os.close(ours)
    terminal = b"".join(seen).decode()
    assert "checking" in terminal
    written = terminal if shared else done.stdout.decode()
    # What is left on a line once its controls are obeyed: erasing begins it anew.
    lines = [re.split(r"\x1b\[[0-9;?]*[A-Za-z]|\r", line)[-1] for line in written.replace("\r\n", "\n").split("\n")]
    findings = [json.loads(line) for line in lines if line.startswith('{"type":"finding"')]
    assert {Path(one["source"]["file"]).name for one in findings} == {f"{number:05}.json" for number in range(30)}
    if not shared:
        assert '"type"' not in terminal


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "fixtures/schema"), 1),
        (("check", "fixtures/schema", "--format", "json"), 1),
        (("check", "fixtures/conforming", "--format", "json"), 0),
        (("rules",), 0),
        (("schemas", "show", "request"), 0),
        (("explain", "done-missing"), 0),
    ],
)
def test_a_reader_that_leaves_early_changes_no_verdict_and_sees_no_complaint(
    environment: dict[str, str], arguments: tuple[str, ...], code: int
) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    run = [*COMMAND, *arguments]
    done = subprocess.run(
        run, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, check=False
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (code, b"")


def test_an_output_that_cannot_encode_a_character_gets_an_escape(
    environment: dict[str, str], process: Callable[..., Any], isogloss: Callable[..., Any]
) -> None:
    stream = ("check", "fixtures/captures/sse/stream.sse")
    assert "(×3)" in isogloss(*stream).stdout
    done = process(*stream, env=environment | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert "(\\xd73)" in done.stdout
