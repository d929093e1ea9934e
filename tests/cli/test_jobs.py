"""However many processes share the work, and whichever engine decides: what is found is the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from isogloss.cli import jobs
from isogloss.cli.main import cli
from isogloss.validator.rules.completion import model_empty

FIXTURES = Path(__file__).parents[2] / "fixtures"


pytestmark = pytest.mark.usefixtures("shared_work")


def report(*arguments: object) -> Any:
    done = CliRunner().invoke(cli, ["check", "--format", "json", *map(str, arguments)])
    assert done.exit_code in (0, 1), done.output
    return json.loads(done.stdout)


def one_a_line(paths: list[Path]) -> bytes:
    lines = []
    for path in paths:
        try:
            lines.append(orjson.dumps(orjson.loads(path.read_bytes())))
        except (orjson.JSONDecodeError, TypeError):  # no JSON, or nested deeper than is written
            lines.append(path.read_bytes().replace(b"\n", b" "))
    return b"\n".join(lines) + b"\n"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Completions, chunks and requests, sound and not, one a line."""
    path = tmp_path / "mixed.jsonl"
    sources = [
        *FIXTURES.glob("completion/*/*.json"),
        *FIXTURES.glob("schema/*/*.json"),
        *FIXTURES.glob("json/*/*.json"),
    ]
    sources += sorted(FIXTURES.glob("conforming/chunk/*.json")) * 3
    path.write_bytes(one_a_line(sorted(FIXTURES.glob("conforming/completion/*.json"))) + one_a_line(sorted(sources)))
    return path


@pytest.mark.thorough
def test_directories_give_the_same_report_in_the_same_order_with_any_number_of_processes() -> None:
    folders = [FIXTURES / name for name in ("conforming", "completion", "stream", "captures", "json")]
    assert report(*folders, "--jobs", 3) == report(*folders, "--jobs", 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("--format", "jsonl"), id="jsonl"),
        pytest.param(("--verbose",), id="verbose", marks=pytest.mark.slow),
    ],
)
def test_what_is_written_on_the_way_is_the_same_with_any_number_of_processes(
    lines: tuple[str, ...], mixed: Path, tmp_path: Path
) -> None:
    paths = [str(FIXTURES / "stream"), str(mixed), str(FIXTURES / "completion")]
    one, three = (CliRunner().invoke(cli, ["check", *paths, *lines, "--jobs", jobs]).stdout for jobs in ("1", "3"))
    assert one.count("\n") > 200
    assert three == one
    name = "jsonl" if "jsonl" in lines else "text"
    file = tmp_path / "report"
    CliRunner().invoke(cli, ["check", *paths, *lines, "--jobs", "3", "--output", f"{name}:{file}"])
    assert file.read_text() == one


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", ["openai", "auto", pytest.param("deepseek", marks=pytest.mark.slow)])
def test_a_file_in_pieces_gives_the_lines_and_numbers_of_the_whole(mixed: Path, dialect: str) -> None:
    assert {type(one) for one in jobs.batches([str(mixed)], None, None)} == {jobs.Piece}
    whole = report(mixed, "--jobs", 1, "--dialect", dialect)
    assert len(whole["findings"]) > 100
    assert report(mixed, "--jobs", 2, "--dialect", dialect) == whole


def test_a_file_of_nothing_but_chunks_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_bytes(one_a_line([FIXTURES / "conforming" / "chunk" / "content.json"] * 200))
    assert report(path, "--jobs", 2) == report(path, "--jobs", 1)


def test_a_file_with_very_much_to_skip_is_told_as_from_one_process(tmp_path: Path) -> None:
    path = tmp_path / "skipped.jsonl"
    path.write_bytes(b'{"object":"list","data":[]}\n' * 1500 + one_a_line([*FIXTURES.glob("conforming/completion/*")]))
    whole = report(path, "--jobs", 1)
    assert len(whole["skipped"]) == 1001
    assert report(path, "--jobs", 2) == whole


def test_a_rule_that_raises_in_another_process_is_named(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> list[object]:
        raise ZeroDivisionError

    from isogloss.validator import rules

    monkeypatch.setattr(model_empty, "check", broken)
    rules.checks.cache_clear()
    try:
        done = CliRunner().invoke(cli, ["check", "--jobs", "2", str(mixed)])
    finally:
        rules.checks.cache_clear()
    assert done.exit_code == 4
    assert "rule model-empty failed on exchange" in done.stderr


@pytest.mark.thorough
def test_both_engines_find_the_same(mixed: Path) -> None:
    fast, reference = (report(mixed, "--jobs", 1, "--engine", engine) for engine in ("jsonschema-rs", "jsonschema"))
    assert fast == reference
