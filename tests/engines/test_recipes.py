"""The recipes of docs/scale.md find what ``check`` finds in the same rows: DuckDB, Polars and what the page shows."""

from __future__ import annotations

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
    """A table, what ``check`` finds in its rows, and which dialect is named in each."""

    table: Path
    findings: list[tuple[Any, ...]]
    dialects: set[tuple[int, str]]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    folder = tmp_path_factory.mktemp("generated")
    recipes.write(folder, recipes.generated(60), group=25)
    table = folder / "logs.parquet"
    found = recipes.of_check(folder / "logs.jsonl")
    assert found == recipes.of_check(table)
    assert len(found) > 50
    named = findings(pq.read_table(table), recipes.MAPPING, keep=["id"], dialect="auto")
    return Checked(table, found, recipes.dialects(named))


@pytest.mark.thorough
@pytest.mark.parametrize(("engine", "number"), RECIPES)
def test_a_recipe_finds_in_each_row_what_check_finds(folder: Path, checked: Checked, engine: str, number: int) -> None:
    shutil.copy(checked.table, folder)
    for size in ("2000", "7"):
        exec(recipes.recipe(engine, number).replace("2000", size), {})
        assert recipes.of_engine(folder) == checked.findings
    assert recipes.dialects(pq.read_table("findings.parquet")) == checked.dialects


def test_every_recipe_of_the_page_is_run_by_a_test() -> None:
    sections = recipes.sections()
    run = Path(__file__).with_name("test_engines.py").read_text("utf-8") + Path(__file__).read_text("utf-8")
    assert {"DuckDB", "Polars", "Spark", "Ray", "Daft", "A daily gate"} == set(sections)
    assert all(f'"{section}"' in run for section in sections)
    assert all(len(recipes.blocks(section, "python")) == (2 if section == "DuckDB" else 1) for section in sections)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [0, 1])
def test_the_page_shows_what_its_recipes_print(folder: Path, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    recipes.write(folder, recipes.example())
    exec(recipes.recipe("DuckDB", number), {})
    assert recipes.words(capsys.readouterr().out) == recipes.words(recipes.blocks("DuckDB", "text")[number])


@pytest.mark.thorough
def test_the_gate_fails_with_what_the_page_shows_and_passes_a_day_without_news(folder: Path) -> None:
    recipes.write(folder, recipes.example())
    exec(recipes.recipe("Polars"), {})
    [gate], [shown] = (recipes.blocks("A daily gate", language) for language in ("python", "text"))
    with pytest.raises(SystemExit, match=re.escape(shown.strip())):
        exec(gate, {})
    exec(gate.replace("2026-11-02", "2026-11-01"), {})


Recorded = tuple[Path, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def recorded(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    return folder, recipes.write_recorded(folder, shared / "corpus")


@pytest.mark.slow
def test_check_finds_in_a_table_of_recorded_traffic_what_it_finds_in_lines(recorded: Recorded) -> None:
    folder, expected = recorded
    assert recipes.of_check(folder / "logs.parquet", "--jobs", "2") == expected


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "number"), RECIPES)
def test_a_recipe_finds_in_recorded_traffic_what_check_finds(
    recorded: Recorded, engine: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, expected = recorded
    monkeypatch.chdir(folder)
    exec(recipes.recipe(engine, number), {})
    assert recipes.of_engine(folder) == expected
