"""The recipes of docs/scale.md find what ``check`` finds in the same rows: DuckDB, Polars and what the page shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import recipes
import tables

RECIPES = [("DuckDB", 0), ("DuckDB", 1), ("Polars", 0)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("engine", "number"), RECIPES)
def test_a_recipe_finds_in_each_row_what_check_finds(folder: Path, engine: str, number: int) -> None:
    recipes.write(folder, recipes.generated(60), group=25)
    expected = recipes.of_check(folder / "logs.jsonl")
    assert expected == recipes.of_check(folder / "logs.parquet")
    assert len(expected) > 50
    for size in ("2000", "7"):
        exec(recipes.recipe(engine, number).replace("2000", size), {})
        assert recipes.of_engine(folder) == expected


@pytest.mark.parametrize("number", [0, 1])
def test_the_page_shows_what_its_recipes_print(folder: Path, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    recipes.write(folder, recipes.example())
    exec(recipes.recipe("DuckDB", number), {})
    assert recipes.words(capsys.readouterr().out) == recipes.words(recipes.blocks("DuckDB", "text")[number])


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "number"), RECIPES)
def test_recorded_traffic_has_the_findings_that_check_has(folder: Path, engine: str, number: int, shared: Path) -> None:
    paths = [path for path in sorted((shared / "corpus").glob("*.jsonl")) if path.name != "big.jsonl"]
    records = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    rows = recipes.of_records(tables.rows(records * (10_000 // len(records) + 1)))[:10_000]
    recipes.write(folder, rows, group=2000)
    exec(recipes.recipe(engine, number), {})
    assert recipes.of_engine(folder) == recipes.of_check(folder / "logs.jsonl", "--jobs", "2")
