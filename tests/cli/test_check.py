"""Tests of ``isogloss check``: what it reads, its exit codes, and its messages when the input cannot be read."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONFORMING = ROOT / "fixtures" / "conforming"
GOOD = CONFORMING / "completion" / "text.json"
WARNING = {"service_tier": "platinum"}
ERROR = {"created": "yesterday"}
NOTE = {"provider": "example"}

Isogloss = Callable[..., Any]


def write_capture(folder: Path, change: dict[str, Any], name: str = "answer.json") -> Path:
    """Write a conforming completion with some properties replaced or added, and return its path."""
    path = folder / name
    path.write_text(json.dumps(json.loads(GOOD.read_bytes()) | change), "utf-8")
    return path


def read_report(result: Any) -> Any:
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (("fixtures/conforming/error",), 0),
        (("fixtures/schema/wrong-type",), 1),
        (("no-such-file.json",), 2),
        (("LICENSE",), 3),
    ],
)
def test_a_process_has_the_output_and_exit_code_of_a_run_in_this_process(
    run_process: Isogloss, isogloss: Isogloss, arguments: tuple[str, ...], exit_code: int
) -> None:
    result = run_process("check", *arguments)
    assert (result.returncode, result.stdout, result.stderr) == isogloss("check", *arguments)
    assert result.returncode == exit_code
    assert bool(result.stderr) == (exit_code == 2)


@pytest.mark.parametrize(
    ("change", "fail_on", "exit_code"),
    [
        ({}, "note", 0),
        (NOTE, "error", 0),
        (NOTE, "warning", 0),
        (NOTE, "note", 1),
        (WARNING, "error", 0),
        (WARNING, "warning", 1),
        (WARNING, "note", 1),
        (ERROR, "error", 1),
        (ERROR, "note", 1),
    ],
)
def test_findings_of_the_given_severity_or_above_fail_the_run(
    isogloss: Isogloss, tmp_path: Path, change: dict[str, Any], fail_on: str, exit_code: int
) -> None:
    result = isogloss("check", write_capture(tmp_path, change), "--fail-on", fail_on)
    assert result.returncode == exit_code
    verdict = [line for line in result.stdout.splitlines() if not line.startswith("next: ")][-1]
    assert verdict.startswith("deviates: " if exit_code else "conforms: ")


def test_by_default_only_errors_fail_the_run(isogloss: Isogloss, tmp_path: Path) -> None:
    assert isogloss("check", write_capture(tmp_path, WARNING)).returncode == 0
    assert isogloss("check", write_capture(tmp_path, ERROR)).returncode == 1


def test_strict_makes_absent_documented_properties_fail_the_run(isogloss: Isogloss, tmp_path: Path) -> None:
    path = ROOT / "fixtures" / "schema" / "documented-property-absent" / "invalid-completion-refusal.json"
    assert isogloss("check", path).returncode == 0
    assert isogloss("check", path, "--strict").returncode == 1
    assert isogloss("check", write_capture(tmp_path, NOTE), "--strict").returncode == 0


@pytest.mark.parametrize("data", [b"", b" \n", b"Hello\n", b"\0\1\2", b'{"a": 1}', b"[]", b"[1, 2]", b"\xff\xfe{\0"])
def test_a_capture_with_nothing_to_check_does_not_pass(isogloss: Isogloss, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "capture"
    path.write_bytes(data)
    result = isogloss("check", path)
    assert result.returncode == 3
    assert "\nnothing-checked: 0 exchanges in 1 file" in result.stdout
    assert isogloss("check", path, "--allow-empty").returncode == 0


def test_an_empty_directory_does_not_pass(isogloss: Isogloss, tmp_path: Path) -> None:
    assert isogloss("check", tmp_path).returncode == 3
    assert isogloss("check", tmp_path, "--allow-empty").returncode == 0


def test_conforming_fixtures_have_no_warnings_except_deprecated_properties(isogloss: Isogloss) -> None:
    result = isogloss("check", CONFORMING, "--format", "json")
    assert result.returncode == 0
    findings = read_report(result)["findings"]
    assert {finding["rule"] for finding in findings if finding["severity"] == "warning"} <= {"deprecated-property"}


def test_findings_fail_a_run_that_also_skips_files(isogloss: Isogloss, tmp_path: Path) -> None:
    write_capture(tmp_path, ERROR)
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    assert isogloss("check", tmp_path, "--allow-empty").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PATH...'"),
        (("no-such-file.json",), "'no-such-file.json' does not exist"),
        ((GOOD, "--no-such-option"), "No such option"),
        ((GOOD, "--kind", "answer"), "'answer' is not one of"),
        ((GOOD, "--input-format", "zip"), "no input format is called 'zip'; known are arrow, burp, "),
        ((GOOD, "--input-format", "zz"), "no input format is called 'zz'; known are arrow, burp"),
        ((GOOD, "--fail-on", "never"), "'never' is not one of"),
        ((GOOD, "--select", "done-mising"), "did you mean 'done-missing'?"),
        ((GOOD, "--ignore", "zzzz"), "no rule or group is called 'zzzz'; see: isogloss rules"),
        ((GOOD, "--engine", "ajv"), "'ajv' is not one of"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_a_message(
    isogloss: Isogloss, arguments: tuple[str, ...], message: str
) -> None:
    result = isogloss("check", *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_kind_overrides_the_detected_kind(isogloss: Isogloss) -> None:
    as_detected = read_report(isogloss("check", GOOD, "--format", "json"))
    as_chunk = read_report(isogloss("check", GOOD, "--format", "json", "--kind", "chunk"))
    assert as_detected["summary"]["payloads"] == {"request": 0, "completion": 1, "chunk": 0, "error": 0}
    assert as_chunk["summary"]["payloads"] == {"request": 0, "completion": 0, "chunk": 1, "error": 0}
    assert ("object", "unknown-value") in {(finding["path"], finding["rule"]) for finding in as_chunk["findings"]}


def test_select_and_ignore_choose_rules_and_groups(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_capture(tmp_path, ERROR | NOTE | WARNING)

    def find_rules(*options: str) -> set[str]:
        return {
            finding["rule"]
            for finding in read_report(isogloss("check", path, "--format", "json", *options))["findings"]
        }

    assert find_rules() == {"wrong-type", "unknown-property", "unknown-value"}
    assert find_rules("--select", "schema") == find_rules()
    assert find_rules("--select", "wrong-type, unknown-value") == {"wrong-type", "unknown-value"}
    assert find_rules("--ignore", "wrong-type") == {"unknown-property", "unknown-value"}
    assert find_rules("--select", "schema", "--ignore", "wrong-type", "--ignore", "unknown-value") == {
        "unknown-property"
    }
    assert find_rules("--ignore", "schema") == set()


@pytest.mark.thorough
def test_both_engines_give_the_same_report(isogloss: Isogloss) -> None:
    arguments = ("check", "fixtures/schema", "fixtures/captures", "--format", "json")
    fast, reference = (isogloss(*arguments, "--engine", engine) for engine in ("jsonschema-rs", "jsonschema"))
    assert fast.returncode == reference.returncode == 1
    assert read_report(fast) == read_report(reference)


def test_without_jsonschema_rs_the_engine_jsonschema_is_used(environment: dict[str, str], tmp_path: Path) -> None:
    code = "import sys; sys.modules['jsonschema_rs'] = None; from isogloss.cli.main import main; main()"
    command = [sys.executable, "-c", code, "check", write_capture(tmp_path, ERROR)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "error[wrong-type] completion created" in result.stdout
    command += ["--engine", "jsonschema-rs"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "the engine jsonschema-rs is not installed" in result.stderr


def test_a_dash_means_standard_input(run_process: Isogloss) -> None:
    result = run_process("check", "-", input='{"object": "chat.completion"}')
    assert result.returncode == 1
    assert result.stdout.startswith("<stdin>:1:1: error[missing-property]")
    assert run_process("check", "-", input=GOOD.read_text("utf-8")).returncode == 0


def test_closed_standard_input_is_skipped_as_unreadable(environment: dict[str, str]) -> None:
    code = "import sys; sys.stdin = None; from isogloss.cli.main import main; main()"
    command = [sys.executable, "-c", code, "check", "-"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "<stdin>: skipped: cannot be read: closed" in result.stdout


def test_a_named_pipe_is_read(run_process: Isogloss, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["/bin/sh", "-c", 'cat "$1" > "$2"', "sh", GOOD, pipe])
    try:
        assert run_process("check", pipe, timeout=30).returncode == 0
    finally:
        writer.kill()
        writer.wait()


def test_directories_are_walked_in_order_and_skipped_entries_are_reported(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    write_capture(tmp_path, ERROR, "c.json")
    write_capture(tmp_path / "b", ERROR, "d.json")
    write_capture(tmp_path, ERROR, "a.json")
    write_capture(tmp_path / ".hidden", ERROR)
    (tmp_path / "b" / "notes.txt").write_text("nothing", "utf-8")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    report = read_report(isogloss("check", tmp_path, "--format", "json"))
    files = [Path(finding["source"]["file"]).relative_to(tmp_path).as_posix() for finding in report["findings"]]
    assert files == ["a.json", "b/d.json", "c.json"]
    skipped = {Path(entry["file"]).relative_to(tmp_path).as_posix(): entry["reason"] for entry in report["skipped"]}
    assert skipped == {
        ".hidden": "a folder whose name begins with a dot; name it to read it",
        "b/notes.txt": "not a capture: no input format recognises it",
        "dangling": "a link to something that does not exist",
        "loop": "a link to a folder, which is not followed",
        "pipe": "neither a file nor a folder",
    }


def test_all_skipped_parts_of_a_long_file_are_counted(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"object": "list", "data": []}\n' * 1234, "utf-8")
    result = isogloss("check", tmp_path / "log.jsonl", "--output", f"json:{tmp_path / 'report.json'}")
    assert "1,234 skipped" in result.stdout
    assert "the reasons for 234 more skipped parts are not kept" in result.stdout
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["summary"]["skipped"] == 1234


def test_lines_of_a_log_that_are_skipped_together_are_counted(isogloss: Isogloss) -> None:
    line = json.dumps({"log": "GET /health\n", "stream": "stdout", "time": "2026-11-24T05:00:00Z"})
    result = isogloss("check", "-", input=f"{line}\n" * 3)
    assert "<stdin>: skipped: not a Chat Completions payload  (×3)\n" in result.stdout


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read, even by root")
def test_an_unreadable_file_is_skipped_and_the_others_are_checked(isogloss: Isogloss) -> None:
    result = isogloss("check", "/proc/self/mem", GOOD)
    assert result.returncode == 3
    assert "/proc/self/mem: skipped: cannot be read: Input/output error" in result.stdout
    assert "conforms: 1 exchange" in result.stdout
    assert isogloss("check", "/proc/self/mem").returncode == 3


@pytest.mark.parametrize("kept", [3, -8], ids=["nothing", "a part"])
def test_a_named_file_that_cannot_be_read_to_its_end_does_not_pass(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    damaged = tmp_path / "log.jsonl.gz"
    damaged.write_bytes(gzip.compress((GOOD.read_bytes().replace(b"\n", b" ") + b"\n") * 50)[:kept])
    result = isogloss("check", damaged, GOOD, "--quiet")
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == f"Error: {damaged}: gzip data that ends too early\n"
    assert isogloss("check", tmp_path, GOOD).returncode == 0  # it is in a folder, and nobody named it
    assert isogloss("check", damaged, GOOD, "--allow-empty").returncode == 0  # a program named it
    assert isogloss("check", "-", GOOD, input=damaged.read_bytes()).returncode == 3
    monkeypatch.chdir(tmp_path)
    assert isogloss("check", damaged, GOOD).returncode == 3  # reports name it relative to the current folder


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_read_permission_is_skipped(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_capture(tmp_path, {})
    path.chmod(0)
    result = isogloss("check", path)
    assert result.returncode == 3
    assert "skipped: cannot be read: Permission denied" in result.stdout


def test_file_names_with_invalid_utf8_or_control_characters_are_escaped(run_process: Isogloss, tmp_path: Path) -> None:
    for name, change in ((b"caf\xe9.json", {"created": "then"}), (b"\x1b[31mred\n.json", {"model": 5})):
        try:
            shutil.copy(write_capture(tmp_path, change), os.fsencode(tmp_path) + b"/" + name)
        except OSError:
            pytest.skip("this file system does not allow such names")
    (tmp_path / "answer.json").unlink()
    result = run_process("check", tmp_path)
    assert result.returncode == 1
    assert "caf\\udce9.json:1:" in result.stdout
    assert "\\x1b[31mred\\n.json:1:" in result.stdout
    assert "\x1b" not in result.stdout
    assert {
        finding["source"]["line"]
        for finding in read_report(run_process("check", tmp_path, "--format", "json"))["findings"]
    } == {1}
    assert run_process("check", os.fsencode(tmp_path) + b"/caf\xe9.json").returncode == 1


def test_control_characters_of_a_payload_are_escaped_in_output(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_capture(tmp_path, {"\x1b[2Jgone\u202e\n::error::": 1, "model": 5})
    for output_format in ("text", "json"):
        result = isogloss("check", path, "--format", output_format)
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
        assert "\n::error" not in result.stdout


def test_input_format_forces_one_format(isogloss: Isogloss, tmp_path: Path) -> None:
    path = tmp_path / "one-line.jsonl"
    path.write_text(json.dumps(json.loads(GOOD.read_bytes())) + "\n", "utf-8")
    for name in ("json", "jsonl"):
        assert isogloss("check", path, "--input-format", name).returncode == 0
    assert isogloss("check", GOOD, "--input-format", "sse").returncode != 0


def test_a_kind_that_no_payload_takes_is_named(isogloss: Isogloss) -> None:
    note = "Note: --kind chunk had no effect: the captures show the kind of each payload\n"
    cassette = "docs/examples/cassette.yaml"
    assert isogloss("check", cassette, "--kind", "request").stderr == ""
    assert isogloss("check", cassette, "--kind", "error").stderr == note.replace("chunk", "error")
    assert isogloss("check", GOOD, "--kind", "chunk").stderr == ""
