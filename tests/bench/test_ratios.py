"""Test the ratios that docs/speed.md states, with some tolerance, and most of them at half size.

Run with ``pytest -m bench tests/bench``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable

import compare
import pytest

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(compare.sourcemeta_command() is None, reason="sourcemeta-jsonschema is not installed"),
]

BULK = [make.__name__ for make in compare.TASKS if make.__name__.startswith("bulk")]
TRAFFIC = [make.__name__ for make in compare.TASKS if make.__name__.startswith(("recorded_", "mixture_"))]
Measure = Callable[[str], dict[str, compare.Usage]]


@pytest.fixture(scope="module")
def measure(tmp_path_factory: pytest.TempPathFactory) -> Measure:
    folder = tmp_path_factory.mktemp("bench")
    compare.prepare(folder)

    def measure_named(name: str) -> dict[str, compare.Usage]:
        make = next(candidate for candidate in compare.TASKS if candidate.__name__ == name)
        task = make(folder, 1.0 if name in (*BULK, *TRAFFIC) else 0.5, None)
        if not task.commands:
            pytest.skip("needs recorded traffic beside the checkout, or pyarrow")
        return compare.measure_task(task, 3)

    return measure_named


@pytest.mark.parametrize("name", TRAFFIC)
def test_traffic_of_many_vendors_takes_no_more_than_six_to_nine_times_the_floor(measure: Measure, name: str) -> None:
    """Allow a tenth more for the mixture: recorded exchanges are more alike, and each of its answers is drawn anew."""
    usages = measure(name)
    source, _, mode = name.partition("_")
    times = {"text": 6, "auto": 9, "json": 8, "jsonl": 8, "sarif": 9}[mode] * (1.1 if source == "mixture" else 1)
    assert usages["isogloss"].cpu < times * usages["floor"].cpu


@pytest.mark.skipif(shutil.which("check-jsonschema") is None, reason="check-jsonschema is not installed")
def test_one_file_takes_no_more_than_half_the_time_of_check_jsonschema(measure: Measure) -> None:
    usages = measure("one_file")
    assert usages["isogloss"].wall < 0.5 * usages["check-jsonschema"].wall


@pytest.mark.parametrize("name", [name for name in BULK if name != "bulk_errors"])
def test_bulk_takes_half_the_time_of_sourcemeta_and_no_more_than_five_times_the_floor(
    measure: Measure, name: str
) -> None:
    usages = measure(name)
    assert usages["isogloss"].wall < 0.5 * usages["sourcemeta"].wall
    assert usages["isogloss"].cpu < 5 * usages["floor"].cpu


def test_short_errors_take_no_more_than_six_times_the_floor(measure: Measure) -> None:
    usages = measure("bulk_errors")
    assert usages["isogloss"].cpu < 6 * usages["floor"].cpu


def test_deviating_completions_take_no_more_than_six_times_as_long_as_conforming_ones(measure: Measure) -> None:
    usages = measure("deviating")
    assert usages["isogloss auto"].wall < 6 * usages["conforming"].wall


def test_streams_take_no_more_than_four_times_the_floor(measure: Measure) -> None:
    usages = measure("streams")
    assert usages["isogloss"].wall < 4 * usages["floor"].wall


def test_a_directory_takes_not_much_longer_than_sourcemeta(measure: Measure) -> None:
    usages = measure("files")
    assert usages["isogloss"].wall < 1.2 * usages["sourcemeta"].wall


def test_ten_times_as_many_lines_take_no_more_memory_and_half_the_time_with_two_processes(measure: Measure) -> None:
    usages = measure("memory")
    assert usages["isogloss"].memory < 1.1 * usages["a tenth"].memory
    assert usages["isogloss"].memory < 150
    assert usages["isogloss"].wall < usages["isogloss --jobs 1"].wall / 1.5


@pytest.mark.parametrize(("name", "times"), [("tables_mixture", 1.4), ("tables_plain", 1.0)])
def test_a_row_of_a_table_takes_as_long_as_a_line_with_the_same_texts(
    measure: Measure, name: str, times: float
) -> None:
    """Allow more time for the mixture, which is small: the import of pyarrow takes a fifth of its time."""
    usages = measure(name)
    assert usages["isogloss, Parquet"].cpu < times * usages["JSON Lines, bodies as text"].cpu
    assert usages["isogloss, Parquet"].memory < 512


def test_ten_times_as_many_rows_in_a_row_group_take_no_more_memory(measure: Measure) -> None:
    usages = measure("tables_memory")
    assert usages["isogloss"].memory < 1.3 * usages["a tenth"].memory
    assert usages["isogloss"].memory < 512
