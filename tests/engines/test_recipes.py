"""Tests of the recipes of docs/scale.md for DuckDB and Polars: they find what ``check`` finds, as the page shows."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
import recipes

from isogloss.validator.arrow import findings

RECIPES = [("DuckDB", 0), ("DuckDB", 1), ("Polars", 0)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Checked(NamedTuple):
    """A table, the findings of ``check`` in its rows, and the dialect that is named for each row."""

    table: Path
    findings: list[tuple[Any, ...]]
    dialects: set[tuple[int, str]]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    folder = tmp_path_factory.mktemp("generated")
    recipes.write_logs(folder, recipes.generated_rows(60), group=25)
    table = folder / "logs.parquet"
    check_findings = recipes.findings_of_check(folder / "logs.jsonl")
    assert check_findings == recipes.findings_of_check(table)
    assert len(check_findings) > 50
    rows = findings(pq.read_table(table), recipes.MAPPING, keep=["id"], dialect="auto")
    return Checked(table, check_findings, recipes.dialects_of_rows(rows))


@pytest.mark.thorough
@pytest.mark.parametrize(("engine", "number"), RECIPES)
def test_a_recipe_finds_in_each_row_what_check_finds(folder: Path, checked: Checked, engine: str, number: int) -> None:
    shutil.copy(checked.table, folder)
    for size in ("2000", "7"):
        exec(recipes.recipe(engine, number).replace("2000", size), {})
        assert recipes.findings_of_recipe(folder) == checked.findings
    assert recipes.dialects_of_rows(pq.read_table("findings.parquet")) == checked.dialects


def test_each_recipe_of_the_page_is_run_by_a_test() -> None:
    sections = recipes.engine_sections()
    tests = Path(__file__).with_name("test_engines.py").read_text("utf-8") + Path(__file__).read_text("utf-8")
    tests = tests.replace(inspect.getsource(test_each_recipe_of_the_page_is_run_by_a_test), "")
    assert {"DuckDB", "Polars", "Spark", "Ray", "Daft", "A daily gate"} == set(sections)
    assert all(f'"{section}"' in tests for section in sections)
    assert all(len(recipes.code_blocks(section, "python")) == (2 if section == "DuckDB" else 1) for section in sections)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [0, 1])
def test_the_page_shows_what_its_recipes_print(folder: Path, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    recipes.write_logs(folder, recipes.example_rows())
    exec(recipes.recipe("DuckDB", number), {})
    assert recipes.words_of_table(capsys.readouterr().out) == recipes.words_of_table(
        recipes.code_blocks("DuckDB", "text")[number]
    )


@pytest.mark.thorough
def test_the_daily_gate_fails_as_the_page_shows_and_passes_a_day_without_new_findings(folder: Path) -> None:
    recipes.write_logs(folder, recipes.example_rows())
    exec(recipes.recipe("Polars"), {})
    [gate], [message] = (recipes.code_blocks("A daily gate", language) for language in ("python", "text"))
    with pytest.raises(SystemExit, match=re.escape(message.strip())):
        exec(gate, {})
    exec(gate.replace("2026-11-02", "2026-11-01"), {})


Recorded = tuple[Path, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def recorded(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    return folder, recipes.write_recorded_logs(folder, shared / "corpus")


@pytest.mark.slow
def test_check_finds_the_same_in_parquet_and_json_lines_of_recorded_traffic(recorded: Recorded) -> None:
    folder, expected = recorded
    assert recipes.findings_of_check(folder / "logs.parquet", "--jobs", "2") == expected


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "number"), RECIPES)
def test_a_recipe_finds_in_recorded_traffic_what_check_finds(
    recorded: Recorded, engine: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, expected = recorded
    monkeypatch.chdir(folder)
    exec(recipes.recipe(engine, number), {})
    assert recipes.findings_of_recipe(folder) == expected
