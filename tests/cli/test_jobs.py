"""Tests that neither the number of processes nor the engine changes what is found."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from isogloss.cli.checking.summary import Run
from isogloss.cli.checking.workers import run_in_order
from isogloss.cli.main import cli
from isogloss.cli.reading import jobs
from isogloss.validator.rules.completion import model_empty

FIXTURES = Path(__file__).parents[2] / "fixtures"


pytestmark = pytest.mark.usefixtures("shared_work")


def read_report(*arguments: object) -> Any:
    result = CliRunner().invoke(cli, ["check", "--format", "json", *map(str, arguments)])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def join_lines(paths: list[Path]) -> bytes:
    """Return the contents of files, each on one line."""
    lines = []
    for path in paths:
        try:
            lines.append(orjson.dumps(orjson.loads(path.read_bytes())))
        except (orjson.JSONDecodeError, TypeError):  # not JSON, or nested too deep for orjson to write
            lines.append(path.read_bytes().replace(b"\n", b" "))
    return b"\n".join(lines) + b"\n"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Write conforming and deviating completions, chunks and requests, one on each line, and return the path."""
    path = tmp_path / "mixed.jsonl"
    sources = [
        *FIXTURES.glob("completion/*/invalid-*.json"),
        *FIXTURES.glob("schema/*/invalid-[a-c]*.json"),
        *FIXTURES.glob("json/*/*.json"),
    ]
    sources += sorted(FIXTURES.glob("conforming/chunk/*.json")) * 3
    path.write_bytes(join_lines(sorted(FIXTURES.glob("conforming/completion/*.json"))) + join_lines(sorted(sources)))
    return path


@pytest.mark.thorough
def test_directories_give_the_same_report_in_the_same_order_with_any_number_of_processes() -> None:
    folders = [FIXTURES / name for name in ("conforming", "json", "captures")]
    assert read_report(*folders, "--jobs", 3) == read_report(*folders, "--jobs", 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--format", "jsonl"), id="jsonl"),
        pytest.param(("--verbose",), id="verbose", marks=pytest.mark.slow),
    ],
)
def test_findings_written_during_the_run_are_the_same_with_any_number_of_processes(
    options: tuple[str, ...], mixed: Path, tmp_path: Path
) -> None:
    paths = [str(FIXTURES / "stream"), str(mixed), str(FIXTURES / "completion")]
    one_process = CliRunner().invoke(cli, ["check", *paths, *options, "--jobs", "1"]).stdout
    assert one_process.count("\n") > 200
    name = "jsonl" if "jsonl" in options else "text"
    file = tmp_path / "report"
    three_processes = CliRunner().invoke(cli, ["check", *paths, *options, "--jobs", "3", "--output", f"{name}:{file}"])
    assert three_processes.stdout == file.read_text() == one_process


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", ["openai", "auto", pytest.param("deepseek", marks=pytest.mark.slow)])
def test_a_file_in_pieces_gives_the_same_report_as_the_whole(mixed: Path, dialect: str) -> None:
    assert {type(batch) for batch in jobs.batches([str(mixed)], None, None)} == {jobs.Piece}
    whole = read_report(mixed, "--jobs", 1, "--dialect", dialect)
    assert len(whole["findings"]) > 100
    assert read_report(mixed, "--jobs", 2, "--dialect", dialect) == whole


@pytest.mark.parametrize(("output_format", "count"), [("text", "×3"), ("html", "3 times")])
def test_findings_in_several_pieces_are_counted_together(tmp_path: Path, output_format: str, count: str) -> None:
    """Each says how often it was found, and shows what stands at the first place."""
    path = tmp_path / "completions.jsonl"
    path.write_bytes(join_lines([*FIXTURES.glob("completion/[a-f]*/invalid-*.json")] * 3))
    one_process, two_processes = (
        CliRunner().invoke(cli, ["check", str(path), "--format", output_format, "--jobs", jobs]).stdout
        for jobs in ("1", "2")
    )
    assert one_process.count(count) > 5
    assert two_processes.replace("--jobs 2", "--jobs 1") == one_process


def test_a_file_of_chunks_gives_the_same_report_with_two_processes(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_bytes(join_lines([FIXTURES / "conforming" / "chunk" / "content.json"] * 200))
    assert read_report(path, "--jobs", 2) == read_report(path, "--jobs", 1)


def test_a_file_with_many_skipped_lines_gives_the_same_report_with_two_processes(tmp_path: Path) -> None:
    path = tmp_path / "skipped.jsonl"
    path.write_bytes(b'{"object":"list","data":[]}\n' * 1500 + join_lines([*FIXTURES.glob("conforming/completion/*")]))
    whole = read_report(path, "--jobs", 1)
    assert len(whole["skipped"]) == 1001
    assert read_report(path, "--jobs", 2) == whole


@pytest.mark.parametrize("wrapped", [b"%s", b'{"data": %s, "t": 1}'], ids=["chunks", "objects that hold one"])
def test_a_file_with_other_lines_between_chunks_gives_the_same_report_with_two_processes(
    wrapped: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "heartbeats.jsonl"
    heartbeats = [b'{"type": "ping", "padding": "%s"}' % (b"x" * 4000)] * 2
    deltas = [b'{"role": "assistant", "content": "Hi"}', *[b'{"content": "%s"}' % (b"o" * 2000)] * 9, b"{}"]
    lines = []
    for number in range(10):
        for position, delta in enumerate(deltas):
            reason = b'"stop"' if position == len(deltas) - 1 else b"null"
            chunk = (
                b'{"id": "chatcmpl-%d", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": '
                b'[{"index": 0, "delta": %s, "finish_reason": %s}]}' % (number, delta, reason)
            )
            lines.append(wrapped % chunk)
            lines += heartbeats
        lines += heartbeats * 60 if number % 3 == 0 else []
    path.write_bytes(b"\n".join(lines) + b"\n")
    whole = read_report(path, "--jobs", 1)
    assert whole["summary"]["exchanges"] == 10
    assert len(list(jobs.batches([str(path)], None, None))) > 1
    assert read_report(path, "--jobs", 2) == whole


def test_a_rule_that_raises_in_another_process_is_named(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> list[object]:
        raise ZeroDivisionError

    from isogloss.validator import rules

    monkeypatch.setattr(model_empty, "check", fail)
    rules.checks.cache_clear()
    try:
        result = CliRunner().invoke(cli, ["check", "--jobs", "2", str(mixed)])
    finally:
        rules.checks.cache_clear()
    assert result.exit_code == 4
    assert "rule model-empty failed on exchange" in result.stderr


@pytest.mark.thorough
def test_both_engines_find_the_same(mixed: Path) -> None:
    fast, reference = (
        read_report(mixed, "--jobs", 1, "--engine", engine) for engine in ("jsonschema-rs", "jsonschema")
    )
    assert fast == reference


def _fail(batch: jobs.Batch) -> Run:
    """Raise an exception; for the first and the third batch, once both are being checked."""
    name, *pipe = batch
    if pipe:
        Path(str(pipe[0])).open("rb" if name == "first" else "wb").close()
    raise ValueError(f"no {name}")


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="two processes wait for each other at a named pipe")
def test_an_exception_in_another_process_is_raised_in_this_one_in_the_order_of_the_batches(
    tmp_path: Path,
) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    batches: list[jobs.Batch] = [["first", pipe], ["second"], ["third", pipe]]
    with pytest.raises(ValueError, match="no first"):
        list(run_in_order(batches, 2, _do_nothing, (), _fail, may_fork=lambda: True))


def _do_nothing() -> None:
    pass
