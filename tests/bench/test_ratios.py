"""The ratios that docs/speed.md states, with slack, most at half size. Run with ``pytest -m bench tests/bench``."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import compare
import pytest

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(compare.sourcemeta() is None, reason="sourcemeta-jsonschema is not installed"),
]

BULK = [make.__name__ for make in compare.TASKS if make.__name__.startswith("bulk")]
TRAFFIC = [make.__name__ for make in compare.TASKS if make.__name__.startswith(("recorded_", "mixture_"))]
Measured = Callable[[str], dict[str, compare.Spent]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = tmp_path_factory.mktemp("bench")
    compare.prepare(folder)

    def of(name: str) -> dict[str, compare.Spent]:
        make = next(one for one in compare.TASKS if one.__name__ == name)
        task = make(folder, 1.0 if name in (*BULK, *TRAFFIC) else 0.5, None)
        if not task.commands:
            pytest.skip("no recorded traffic is beside the checkout")
        return compare.measured(task, 3)

    return of


@pytest.mark.parametrize("name", TRAFFIC)
def test_traffic_of_many_vendors_takes_six_to_nine_times_the_floor(measured: Measured, name: str) -> None:
    by = measured(name)
    times = {"text": 6, "auto": 9, "json": 8, "jsonl": 8, "sarif": 9}[name.partition("_")[2]]
    assert by["isogloss"].cpu < times * by["floor"].cpu


@pytest.mark.skipif(shutil.which("check-jsonschema") is None, reason="check-jsonschema is not installed")
def test_one_file_takes_no_more_than_half_of_check_jsonschema(measured: Measured) -> None:
    by = measured("one_file")
    assert by["isogloss"].wall < 0.5 * by["check-jsonschema"].wall


@pytest.mark.parametrize("name", [name for name in BULK if name != "bulk_errors"])
def test_bulk_takes_half_of_sourcemeta_and_no_more_than_five_times_the_floor(measured: Measured, name: str) -> None:
    by = measured(name)
    assert by["isogloss"].wall < 0.5 * by["sourcemeta"].wall
    assert by["isogloss"].cpu < 5 * by["floor"].cpu


def test_short_errors_take_no_more_than_ten_times_the_floor(measured: Measured) -> None:
    by = measured("bulk_errors")
    assert by["isogloss"].cpu < 10 * by["floor"].cpu


def test_what_deviates_takes_no_more_than_six_times_what_conforms(measured: Measured) -> None:
    by = measured("deviating")
    assert by["isogloss auto"].wall < 6 * by["conforming"].wall


def test_streams_take_no_more_than_four_times_the_floor(measured: Measured) -> None:
    by = measured("streams")
    assert by["isogloss"].wall < 4 * by["floor"].wall


def test_a_directory_takes_not_much_longer_than_sourcemeta(measured: Measured) -> None:
    by = measured("files")
    assert by["isogloss"].wall < 1.2 * by["sourcemeta"].wall


def test_ten_times_as_much_takes_no_more_memory_and_half_the_time_with_two_processes(measured: Measured) -> None:
    by = measured("memory")
    assert by["isogloss"].memory < 1.1 * by["a tenth"].memory
    assert by["isogloss"].memory < 150
    assert by["isogloss"].wall < by["isogloss --jobs 1"].wall / 1.5


@pytest.mark.parametrize(("name", "times"), [("tables_mixture", 1.4), ("tables_plain", 1.0)])
def test_a_row_of_a_table_takes_as_much_as_a_line_with_the_same_texts(
    measured: Measured, name: str, times: float
) -> None:
    """The mixture is small: a fifth of the time is the import of pyarrow."""
    by = measured(name)
    assert by["isogloss, Parquet"].cpu < times * by["JSON Lines, bodies as text"].cpu
    assert by["isogloss, Parquet"].memory < 512


def test_ten_times_as_many_rows_in_a_row_group_take_no_more_memory(measured: Measured) -> None:
    by = measured("tables_memory")
    assert by["isogloss"].memory < 1.3 * by["a tenth"].memory
    assert by["isogloss"].memory < 512
