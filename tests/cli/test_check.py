"""``isogloss check``: what it reads, what it ends with, and what it says when something is wrong around it."""

from __future__ import annotations

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


def capture(folder: Path, change: dict[str, Any], name: str = "answer.json") -> Path:
    """Write a conforming completion with some properties replaced or added, and return its path."""
    path = folder / name
    path.write_text(json.dumps(json.loads(GOOD.read_bytes()) | change), "utf-8")
    return path


def report(done: Any) -> Any:
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("fixtures/conforming/error",), 0),
        (("fixtures/schema/wrong-type",), 1),
        (("no-such-file.json",), 2),
        (("LICENSE",), 3),
    ],
)
def test_the_process_ends_with_the_verdict_and_prints_nothing_but_it(
    process: Isogloss, isogloss: Isogloss, arguments: tuple[str, ...], code: int
) -> None:
    done = process("check", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == isogloss("check", *arguments)
    assert done.returncode == code
    assert bool(done.stderr) == (code == 2)


@pytest.mark.parametrize(
    ("change", "fail_on", "code"),
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
def test_findings_fail_the_run_from_the_given_severity_on(
    isogloss: Isogloss, tmp_path: Path, change: dict[str, Any], fail_on: str, code: int
) -> None:
    done = isogloss("check", capture(tmp_path, change), "--fail-on", fail_on)
    assert done.returncode == code
    last = [line for line in done.stdout.splitlines() if not line.startswith("next: ")][-1]
    assert last.startswith("deviates: " if code else "conforms: ")


def test_errors_fail_the_run_unless_told_otherwise(isogloss: Isogloss, tmp_path: Path) -> None:
    assert isogloss("check", capture(tmp_path, WARNING)).returncode == 0
    assert isogloss("check", capture(tmp_path, ERROR)).returncode == 1


def test_strict_raises_what_only_the_published_reference_requires(isogloss: Isogloss, tmp_path: Path) -> None:
    path = ROOT / "fixtures" / "schema" / "documented-property-absent" / "invalid-completion-refusal.json"
    assert isogloss("check", path).returncode == 0
    assert isogloss("check", path, "--strict").returncode == 1
    assert isogloss("check", capture(tmp_path, NOTE), "--strict").returncode == 0


@pytest.mark.parametrize("data", [b"", b" \n", b"Hello\n", b"\0\1\2", b'{"a": 1}', b"[]", b"[1, 2]", b"\xff\xfe{\0"])
def test_a_capture_with_nothing_in_it_to_check_is_no_pass(isogloss: Isogloss, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "capture"
    path.write_bytes(data)
    done = isogloss("check", path)
    assert done.returncode == 3
    assert "\nnothing-checked: 0 exchanges in 1 file" in done.stdout
    assert isogloss("check", path, "--allow-empty").returncode == 0


def test_an_empty_directory_is_no_pass(isogloss: Isogloss, tmp_path: Path) -> None:
    assert isogloss("check", tmp_path).returncode == 3
    assert isogloss("check", tmp_path, "--allow-empty").returncode == 0


def test_conforming_fixtures_conform_but_for_what_is_deprecated(isogloss: Isogloss) -> None:
    done = isogloss("check", CONFORMING, "--format", "json")
    assert done.returncode == 0
    found = report(done)["findings"]
    assert {one["rule"] for one in found if one["severity"] == "warning"} <= {"deprecated-property"}


def test_findings_outweigh_skipped_files(isogloss: Isogloss, tmp_path: Path) -> None:
    capture(tmp_path, ERROR)
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    assert isogloss("check", tmp_path, "--allow-empty").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PATH...'"),
        (("no-such-file.json",), "'no-such-file.json' does not exist"),
        ((GOOD, "--no-such-option"), "No such option"),
        ((GOOD, "--kind", "answer"), "'answer' is not one of"),
        ((GOOD, "--input-format", "tar"), "'tar' is none of"),
        ((GOOD, "--fail-on", "never"), "'never' is not one of"),
        ((GOOD, "--select", "done-mising"), "did you mean 'done-missing'?"),
        ((GOOD, "--ignore", "zzzz"), "no rule or group is called 'zzzz'; see: isogloss rules"),
        ((GOOD, "--engine", "ajv"), "'ajv' is not one of"),
    ],
)
def test_a_wrong_command_line_is_an_error_of_its_own(
    isogloss: Isogloss, arguments: tuple[str, ...], message: str
) -> None:
    done = isogloss("check", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_kind_overrides_what_the_content_says(isogloss: Isogloss, tmp_path: Path) -> None:
    as_it_is = report(isogloss("check", GOOD, "--format", "json"))
    as_chunk = report(isogloss("check", GOOD, "--format", "json", "--kind", "chunk"))
    assert as_it_is["summary"]["payloads"] == {"request": 0, "completion": 1, "chunk": 0, "error": 0}
    assert as_chunk["summary"]["payloads"] == {"request": 0, "completion": 0, "chunk": 1, "error": 0}
    assert ("object", "unknown-value") in {(one["path"], one["rule"]) for one in as_chunk["findings"]}


def test_select_and_ignore_choose_rules_and_groups(isogloss: Isogloss, tmp_path: Path) -> None:
    path = capture(tmp_path, ERROR | NOTE | WARNING)

    def found(*options: str) -> set[str]:
        return {one["rule"] for one in report(isogloss("check", path, "--format", "json", *options))["findings"]}

    assert found() == {"wrong-type", "unknown-property", "unknown-value"}
    assert found("--select", "schema") == found()
    assert found("--select", "wrong-type, unknown-value") == {"wrong-type", "unknown-value"}
    assert found("--ignore", "wrong-type") == {"unknown-property", "unknown-value"}
    assert found("--select", "schema", "--ignore", "wrong-type", "--ignore", "unknown-value") == {"unknown-property"}
    assert found("--ignore", "schema") == set()


@pytest.mark.thorough
def test_both_engines_print_the_same(isogloss: Isogloss) -> None:
    run = ("check", "fixtures/schema", "fixtures/captures", "--format", "json")
    fast, reference = (isogloss(*run, "--engine", engine) for engine in ("jsonschema-rs", "jsonschema"))
    assert fast.returncode == reference.returncode == 1
    assert report(fast) == report(reference)


def test_without_the_fast_engine_the_reference_engine_decides(environment: dict[str, str], tmp_path: Path) -> None:
    code = "import sys; sys.modules['jsonschema_rs'] = None; from isogloss.cli.main import main; main()"
    run = [sys.executable, "-c", code, "check", capture(tmp_path, ERROR)]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error[wrong-type] completion created" in done.stdout
    run += ["--engine", "jsonschema-rs"]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the engine jsonschema-rs is not installed" in done.stderr


def test_standard_input_is_read_for_a_dash(process: Isogloss) -> None:
    done = process("check", "-", input='{"object": "chat.completion"}')
    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:1:1: error[missing-property]")
    assert process("check", "-", input=GOOD.read_text("utf-8")).returncode == 0


def test_closed_standard_input_is_input_that_cannot_be_read(environment: dict[str, str]) -> None:
    code = "import sys; sys.stdin = None; from isogloss.cli.main import main; main()"
    run = [sys.executable, "-c", code, "check", "-"]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "<stdin>: skipped: cannot be read: closed" in done.stdout


def test_a_pipe_named_like_a_file_is_read(process: Isogloss, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["/bin/sh", "-c", 'cat "$1" > "$2"', "sh", GOOD, pipe])
    try:
        assert process("check", pipe, timeout=30).returncode == 0
    finally:
        writer.kill()
        writer.wait()


def test_directories_are_walked_in_order_and_what_is_skipped_is_said(isogloss: Isogloss, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    capture(tmp_path, ERROR, "c.json")
    capture(tmp_path / "b", ERROR, "d.json")
    capture(tmp_path, ERROR, "a.json")
    capture(tmp_path / ".hidden", ERROR)
    (tmp_path / "b" / "notes.txt").write_text("nothing", "utf-8")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    result = report(isogloss("check", tmp_path, "--format", "json"))
    files = [Path(one["source"]["file"]).relative_to(tmp_path).as_posix() for one in result["findings"]]
    assert files == ["a.json", "b/d.json", "c.json"]
    skipped = {Path(one["file"]).relative_to(tmp_path).as_posix(): one["reason"] for one in result["skipped"]}
    assert skipped == {
        ".hidden": "a directory whose name begins with a dot, read only where it is named itself",
        "b/notes.txt": "not a capture: no input format recognises it",
        "dangling": "a link to what is not there",
        "loop": "a link to a directory, which is not followed",
        "pipe": "neither a file nor a directory",
    }


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read, even by root")
def test_an_unreadable_file_is_skipped_and_the_others_are_checked(isogloss: Isogloss) -> None:
    done = isogloss("check", "/proc/self/mem", GOOD)
    assert done.returncode == 0
    assert "/proc/self/mem: skipped: cannot be read: Input/output error" in done.stdout
    assert isogloss("check", "/proc/self/mem").returncode == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_input_that_cannot_be_read(isogloss: Isogloss, tmp_path: Path) -> None:
    path = capture(tmp_path, {})
    path.chmod(0)
    done = isogloss("check", path)
    assert done.returncode == 3
    assert "skipped: cannot be read: Permission denied" in done.stdout


def test_file_names_that_are_no_text_or_hold_control_characters_are_escaped(process: Isogloss, tmp_path: Path) -> None:
    for name, change in ((b"caf\xe9.json", {"created": "then"}), (b"\x1b[31mred\n.json", {"model": 5})):
        try:
            shutil.copy(capture(tmp_path, change), os.fsencode(tmp_path) + b"/" + name)
        except OSError:
            pytest.skip("this file system takes no such names")
    (tmp_path / "answer.json").unlink()
    done = process("check", tmp_path)
    assert done.returncode == 1
    assert "caf\\udce9.json:1:" in done.stdout
    assert "\\x1b[31mred\\n.json:1:" in done.stdout
    assert "\x1b" not in done.stdout
    assert {one["source"]["line"] for one in report(process("check", tmp_path, "--format", "json"))["findings"]} == {1}
    assert process("check", os.fsencode(tmp_path) + b"/caf\xe9.json").returncode == 1


def test_what_a_payload_holds_reaches_no_output_unescaped(isogloss: Isogloss, tmp_path: Path) -> None:
    path = capture(tmp_path, {"\x1b[2Jgone\u202e\n::error::": 1, "model": 5})
    for output_format in ("text", "json"):
        done = isogloss("check", path, "--format", output_format)
        assert "\x1b" not in done.stdout
        assert "\u202e" not in done.stdout
        assert "\n::error" not in done.stdout


def test_one_input_format_can_be_demanded(isogloss: Isogloss, tmp_path: Path) -> None:
    path = tmp_path / "one-line.jsonl"
    path.write_text(json.dumps(json.loads(GOOD.read_bytes())) + "\n", "utf-8")
    for name in ("json", "jsonl"):
        assert isogloss("check", path, "--input-format", name).returncode == 0
    assert isogloss("check", GOOD, "--input-format", "sse").returncode != 0
