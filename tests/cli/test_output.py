"""Tests of the output on a terminal, in a pipe, in a closed pipe, and in an encoding that lacks characters."""

from __future__ import annotations

import io
import json
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from isogloss.cli.main import cli
from isogloss.cli.proxy.judging import ProxyJudge

pty = pytest.importorskip("pty", reason="the system has no terminals like those of Unix")

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from isogloss.cli.main import main; main()")
DEVIATING = ("check", "fixtures/captures/json/pair.json")


def run_on_terminal(*arguments: str, environment: dict[str, str]) -> tuple[int | str | None, str]:
    """Run ``isogloss`` in this process with a terminal as standard output, and return its exit code and output."""
    return _run(arguments, environment, *pty.openpty())


def run_in_pipe(*arguments: str, environment: dict[str, str]) -> str:
    """Run ``isogloss`` in this process with a pipe as standard output, and return its output."""
    return _run(arguments, environment, *os.pipe())[1]


def _run(
    arguments: tuple[str, ...], environment: dict[str, str], read_end: int, write_end: int
) -> tuple[int | str | None, str]:
    """Run ``isogloss`` with one end of a terminal or a pipe as standard output. Nothing may come to standard error."""
    errors = io.StringIO()
    with ThreadPoolExecutor() as executor, chdir(ROOT), patch.dict(os.environ, environment, clear=True):
        received = executor.submit(_read_to_end, read_end)
        with (
            open(write_end, "w", encoding="utf-8") as out,
            redirect_stdout(out),
            redirect_stderr(errors),
            pytest.raises(SystemExit) as ended,
        ):
            cli.main(arguments, prog_name="isogloss")
        output = received.result()
    assert errors.getvalue() == ""
    return ended.value.code, output


def _read_to_end(read_end: int) -> str:
    """Return what is written to the other end of a terminal or a pipe until it is closed."""
    parts = []
    with suppress(OSError):  # Linux: the other side of the terminal is closed
        while part := os.read(read_end, 65536):
            parts.append(part)
    os.close(read_end)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_process_has_the_output_of_a_run_in_this_process_on_a_terminal(environment: dict[str, str]) -> None:
    read_end, terminal = pty.openpty()
    on_terminal = environment | {"TERM": "xterm-256color"}
    with subprocess.Popen(
        [*COMMAND, *DEVIATING],
        cwd=ROOT,
        env=on_terminal,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(terminal)
        output = _read_to_end(read_end)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert (process.returncode, output) == run_on_terminal(*DEVIATING, environment=on_terminal)


def test_a_terminal_gets_colours(environment: dict[str, str]) -> None:
    exit_code, output = run_on_terminal(*DEVIATING, environment=environment | {"TERM": "xterm-256color"})
    assert exit_code == 1
    assert "\x1b[1;31merror\x1b[0m" in output
    assert "\n\n\x1b[1mdeviates: " in output


def test_a_blank_line_stands_before_the_summary_on_a_terminal(environment: dict[str, str]) -> None:
    explained = ("check", "fixtures/dialects/huggingface/stream-rare.json", "--dialect", "auto", "--color", "never")
    _, output = run_on_terminal(*explained, environment=environment)
    assert "-v lists them\n\nconforms: " in output


@pytest.mark.parametrize(
    ("options", "variables"),
    [((), {"NO_COLOR": "1"}), (("--color", "never"), {"FORCE_COLOR": "1"}), ((), {"TERM": "dumb"})],
)
def test_a_terminal_gets_no_colours_if_they_are_switched_off(
    environment: dict[str, str], options: tuple[str, ...], variables: dict[str, str]
) -> None:
    on_terminal = environment | {"TERM": "xterm-256color"} | variables
    exit_code, output = run_on_terminal(*DEVIATING, *options, environment=on_terminal)
    assert exit_code == 1
    assert "error[wrong-type]" in output
    assert "\x1b" not in output


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (("--color", "always"), {}),
        ((), {"FORCE_COLOR": "1"}),
        (("--color", "always"), {"NO_COLOR": "1"}),
        (("--color", "always"), {"COLUMNS": "0"}),
        (("--color", "always"), {"TERM": "dumb", "COLUMNS": "20", "LINES": "0"}),
    ],
)
def test_a_pipe_gets_colours_if_they_are_forced(
    environment: dict[str, str],
    isogloss: Callable[..., Any],
    options: tuple[str, ...],
    variables: dict[str, str],
) -> None:
    coloured = run_in_pipe(*DEVIATING, *options, environment=environment | variables)
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == isogloss(*DEVIATING).stdout


def test_words_on_standard_error_get_colours_if_they_are_forced(
    environment: dict[str, str], run_process: Callable[..., Any]
) -> None:
    result = run_process("check", "LICENSE", "--quiet", env=environment | {"FORCE_COLOR": "1"})
    assert "LICENSE: \x1b[35mskipped\x1b[0m: " in result.stderr
    assert result.stdout == ""


def test_the_report_of_the_proxy_which_is_no_command_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    ProxyJudge("", "", (), None).report()
    assert capsys.readouterr().out.startswith("nothing-checked: 0 exchanges")


def test_no_terminal_is_taken_for_narrower_than_40_columns(environment: dict[str, str]) -> None:
    texts = [run_on_terminal(*DEVIATING, environment=environment | {"COLUMNS": width})[1] for width in ("1", "40")]
    assert texts[0] == texts[1]
    assert max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", texts[0]).splitlines())) > 20


REPORT = ("report", "fixtures/captures/json/pair.json")


@pytest.mark.parametrize("command", ["check", "report"])
@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (("--color", "always"), {}),
        ((), {"FORCE_COLOR": "1"}),
        (("--color", "always"), {"TERM": "dumb", "COLUMNS": "0"}),
    ],
)
def test_a_report_has_forced_colours_on_standard_output_but_in_no_file(
    environment: dict[str, str],
    isogloss: Callable[..., Any],
    command: str,
    options: tuple[str, ...],
    variables: dict[str, str],
    tmp_path: Path,
) -> None:
    arguments = (command, *REPORT[1:])
    plain = isogloss(*arguments).stdout
    arguments = (*arguments, *options, "--output", f"text:{tmp_path / 'report.txt'}")
    coloured = run_in_pipe(*arguments, environment=environment | variables)
    assert "\x1b[1m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert (tmp_path / "report.txt").read_text("utf-8") == plain


@pytest.mark.parametrize("width", [60, 200])
def test_the_report_of_dialects_fits_a_terminal(environment: dict[str, str], width: int) -> None:
    on_terminal = environment | {"TERM": "xterm-256color", "COLUMNS": str(width)}
    _, output = run_on_terminal(*REPORT, "--color", "never", environment=on_terminal)
    assert "\x1b" not in output
    assert max(map(len, output.splitlines()[:-1])) <= width


def test_a_line_of_evidence_is_not_broken_on_a_narrow_terminal(
    environment: dict[str, str], isogloss: Callable[..., Any]
) -> None:
    command = ("report", "fixtures/dialects/groq/completion.json", "--evidence")
    evidence = [line for line in isogloss(*command).stdout.splitlines() if " against " in line]
    assert evidence
    variables = {"TERM": "xterm-256color", "NO_COLOR": "1", "COLUMNS": "60"}
    _, output = run_on_terminal(*command, environment=environment | variables)
    assert set(evidence) <= set(output.splitlines())


@pytest.mark.parametrize("width", [60, 120])
def test_text_is_wrapped_to_the_width_of_a_terminal_without_cutting_words(
    environment: dict[str, str], isogloss: Callable[..., Any], width: int
) -> None:
    on_terminal = environment | {"TERM": "xterm-256color", "NO_COLOR": "1", "COLUMNS": str(width)}
    _, output = run_on_terminal(*DEVIATING, environment=on_terminal)
    assert max(map(len, output.splitlines())) <= width
    unwrapped_lines = [line for line in isogloss(*DEVIATING).stdout.splitlines() if not re.match(r" +\| ", line)]
    words = {word for line in unwrapped_lines for word in line.split() if not word.startswith("fixtures/")}
    assert words <= set(output.split())


def test_a_file_is_named_once_on_a_terminal_and_with_each_finding_elsewhere(
    environment: dict[str, str], isogloss: Callable[..., Any]
) -> None:
    _, output = run_on_terminal(*DEVIATING, environment=environment | {"NO_COLOR": "1"})
    assert output.count(DEVIATING[1]) == 1
    findings = re.findall(r"(?:error|warning|note)\[", output)
    assert isogloss(*DEVIATING).stdout.count(DEVIATING[1]) == len(findings)


def test_a_pipe_gets_no_colours_even_when_the_terminal_has_them(environment: dict[str, str]) -> None:
    assert "\x1b" not in run_in_pipe(*DEVIATING, environment=environment | {"TERM": "xterm-256color"})


@pytest.mark.parametrize("form", [[], ["--statistics"], ["--format", "github"]], ids=["text", "statistics", "github"])
def test_a_report_is_the_same_if_another_one_of_the_run_names_the_clients_that_break(
    isogloss: Callable[..., Any], tmp_path: Path, form: list[str]
) -> None:
    command = ("check", "fixtures/stream/tool-call-id-missing", *form)
    beside_another = isogloss(*command, "--output", f"json:{tmp_path / 'report.json'}")
    assert beside_another.stdout == isogloss(*command).stdout


@pytest.mark.parametrize(
    "line",
    [
        "report docs/examples", "report docs/examples --view coverage", "report docs/examples --view clients",
        "probe http://127.0.0.1:1/v1 --model m --case plain,n", "check docs/examples", "dialects list", "rules",
    ],
)  # fmt: skip
def test_no_line_in_a_pipe_ends_in_blanks(isogloss: Callable[..., Any], line: str) -> None:
    lines = isogloss(*line.split()).stdout.splitlines()
    assert lines
    assert [line for line in lines if line.endswith(" ")] == []


def test_no_place_is_broken_in_a_table_in_a_pipe(isogloss: Callable[..., Any], tmp_path: Path) -> None:
    capture = tmp_path / ("name-of-a-test" * 12) / "capture.json"
    capture.parent.mkdir()
    capture.write_bytes((ROOT / DEVIATING[1]).read_bytes())
    lines = isogloss("report", capture).stdout.splitlines()
    assert [line for line in lines if line.startswith("error ") and re.search(r"/capture\.json:\d+:\d+$", line)]


def test_json_is_the_same_on_a_terminal_and_in_a_pipe(
    environment: dict[str, str], isogloss: Callable[..., Any]
) -> None:
    _, output = run_on_terminal(*DEVIATING, "--format", "json", environment=environment | {"TERM": "xterm-256color"})
    assert output == isogloss(*DEVIATING, "--format", "json").stdout


@pytest.mark.parametrize(
    ("options", "jobs", "files"),
    [
        pytest.param(("--format", "jsonl"), "1", 60, id="jsonl"),
        pytest.param(("--verbose",), "1", 60, id="verbose"),
        pytest.param(("--format", "jsonl"), "2", 600, id="jsonl-two-processes"),
        pytest.param(("--verbose",), "2", 600, id="verbose-two-processes", marks=pytest.mark.slow),
    ],
)
def test_findings_are_written_before_the_last_file_can_be_read(
    environment: dict[str, str], tmp_path: Path, options: tuple[str, ...], jobs: str, files: int
) -> None:
    answer = (ROOT / "fixtures" / "captures" / "json" / "pair.json").read_bytes()
    folder, last_file = tmp_path / "answers", tmp_path / "last.json"
    folder.mkdir()
    for number in range(files):
        (folder / f"{number:05}.json").write_bytes(answer)
    os.mkfifo(last_file)
    command = [*COMMAND, "check", str(folder), str(last_file), *options, "--jobs", jobs]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        # A run that writes only at its end would wait for ever for the last file.
        timeout = threading.Timer(60, process.kill)
        timeout.start()
        first_line = next((line for line in process.stdout if b"00000.json" in line), None)
        timeout.cancel()
        writer = threading.Thread(target=last_file.write_bytes, args=(answer,), daemon=True)
        writer.start()
        remaining_output = process.stdout.read()
    assert first_line is not None, "nothing was written before the last file could be read"
    assert b"last.json" in remaining_output


@pytest.mark.parametrize("same_terminal", [False, True], ids=["piped", "same-terminal"])
def test_the_progress_bar_and_findings_do_not_mix(
    environment: dict[str, str], tmp_path: Path, same_terminal: bool
) -> None:
    answer = (ROOT / "fixtures" / "captures" / "json" / "pair.json").read_bytes()
    for number in range(30):
        (tmp_path / f"{number:05}.json").write_bytes(answer)
    program = (
        "from isogloss.cli.process import progress as p; p._PATIENCE = p._PAUSE = 0; "
        "from isogloss.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, "check", str(tmp_path), "--format", "jsonl", "--jobs", "1"]
    read_end, terminal_end = pty.openpty()
    received: list[bytes] = []

    def read_terminal() -> None:
        try:
            while part := os.read(read_end, 65536):
                received.append(part)
        except OSError:  # Linux: the other side is closed
            pass

    reader = threading.Thread(target=read_terminal)
    reader.start()
    result = subprocess.run(
        command,
        env=environment | {"TERM": "xterm", "COLUMNS": "200"},
        stdout=terminal_end if same_terminal else subprocess.PIPE,
        stderr=terminal_end,
        check=False,
    )
    os.close(terminal_end)
    reader.join()
    os.close(read_end)
    on_terminal = b"".join(received).decode()
    assert "checking" in on_terminal
    output = on_terminal if same_terminal else result.stdout.decode()
    # What a terminal shows of each line is the text after the last control sequence, which erases the line.
    shown = [re.split(r"\x1b\[[0-9;?]*[A-Za-z]|\r", line)[-1] for line in output.replace("\r\n", "\n").split("\n")]
    findings = [json.loads(line) for line in shown if line.startswith('{"type":"finding"')]
    assert {Path(finding["source"]["file"]).name for finding in findings} == {
        f"{number:05}.json" for number in range(30)
    }
    if not same_terminal:
        assert '"type"' not in on_terminal


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (("check", "fixtures/schema"), 1),
        (("check", "fixtures/schema/wrong-type", "--format", "json"), 1),
        (("check", "fixtures/conforming/completion", "--format", "json"), 0),
        (("rules",), 0),
        (("schemas", "show", "request"), 0),
        (("explain", "done-missing"), 0),
    ],
)
def test_a_closed_pipe_changes_no_exit_code_and_gives_no_error_message(
    environment: dict[str, str], arguments: tuple[str, ...], exit_code: int
) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [*COMMAND, *arguments]
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=write_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write_end)
    assert (result.returncode, result.stderr) == (exit_code, b"")


def test_characters_that_the_output_cannot_encode_are_escaped(
    environment: dict[str, str], run_process: Callable[..., Any], isogloss: Callable[..., Any]
) -> None:
    stream = ("check", "fixtures/captures/sse/stream.sse")
    assert "(×3)" in isogloss(*stream).stdout
    result = run_process(*stream, env=environment | {"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 1
    assert "(\\xd73)" in result.stdout


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("page", ["clients show openai-python", "explain missing-property", "dialects show groq"])
def test_a_page_on_a_terminal_of_any_width_has_all_words_of_its_tables_and_breaks_none(
    environment: dict[str, str], isogloss: Callable[..., Any], page: str, width: int
) -> None:
    variables = {"TERM": "xterm-256color", "NO_COLOR": "1", "COLUMNS": str(width)}
    _, rendered = run_on_terminal(*page.split(), environment=environment | variables)
    lines = isogloss(*page.split()).stdout.splitlines()
    headers = {line for pair in pairwise(lines) if pair[1].startswith("| --- |") for line in pair}
    cells = [
        re.sub(r"[\\`]", "", cell)
        for line in lines
        if line.startswith("| ") and line not in headers
        for cell in line.strip("| ").replace("\\|", "¦").split(" | ")
    ]
    printed = rendered.replace("\\", "").split()
    plain = {
        word for cell in cells for word in cell.split() if re.fullmatch(r"[\w./-]+", word) and len(word) < width - 8
    }
    assert plain <= {word.strip(";") for word in printed}
    assert max(map(len, rendered.splitlines())) <= width


@pytest.mark.processes
def test_a_full_pipe_that_does_not_block_loses_no_output(environment: dict[str, str]) -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    command = [*COMMAND, "rules", "--format", "json"]
    with subprocess.Popen(command, stdout=write_end, stderr=subprocess.PIPE, env=environment, cwd=ROOT) as process:
        while select.select([], [write_end], [], 0)[1]:  # until the pipe, which holds less than the output, is full
            assert process.poll() is None
            time.sleep(0.01)
        os.close(write_end)
        with open(read_end, "rb") as pipe:
            written = json.load(pipe)
        assert (process.wait(), process.stderr and process.stderr.read()) == (0, b"")
    assert len(written) > 100
