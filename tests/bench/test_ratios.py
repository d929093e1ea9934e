"""The ratios that the README tells of, with slack, at a part of the sizes. Opt-in: ``pytest -m bench tests/bench``."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import compare
import pytest

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(compare.sourcemeta() is None, reason="sourcemeta-jsonschema is not installed"),
]

Measured = Callable[[str], dict[str, compare.Spent]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = tmp_path_factory.mktemp("bench")
    subprocess.run([*compare.ISOGLOSS, "schemas", "export", str(folder)], check=True, stdout=subprocess.DEVNULL)

    def of(name: str) -> dict[str, compare.Spent]:
        make = next(one for one in compare.TASKS if one.__name__ == name)
        return compare.measured(make(folder, 0.5, None), 3)

    return of


@pytest.mark.skipif(shutil.which("check-jsonschema") is None, reason="check-jsonschema is not installed")
def test_one_file_takes_no_more_than_half_of_check_jsonschema(measured: Measured) -> None:
    by = measured("one_file")
    assert by["isogloss"].wall < 0.5 * by["check-jsonschema"].wall


def test_bulk_takes_less_than_sourcemeta_and_no_more_than_six_times_the_floor(measured: Measured) -> None:
    by = measured("bulk")
    assert by["isogloss"].wall < 0.75 * by["sourcemeta"].wall
    assert by["isogloss"].cpu < 6 * by["floor"].cpu
    assert by["isogloss"].wall < by["isogloss --jobs 1"].wall / 1.4


def test_streams_take_no_more_than_four_times_the_floor(measured: Measured) -> None:
    by = measured("streams")
    assert by["isogloss"].wall < 4 * by["floor"].wall


def test_a_directory_takes_no_more_than_twice_as_long_as_sourcemeta(measured: Measured) -> None:
    by = measured("files")
    assert by["isogloss"].wall < 2 * by["sourcemeta"].wall


def test_ten_times_as_much_takes_no_more_memory(measured: Measured) -> None:
    by = measured("memory")
    assert by["isogloss"].memory < 1.1 * by["a tenth"].memory
