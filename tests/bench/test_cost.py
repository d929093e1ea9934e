"""Test that the table of costs in docs/scale.md has the form that the script prints. The figures are not compared."""

from __future__ import annotations

import re
from pathlib import Path

import cost
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text("utf-8").partition("\n### What it costs\n")[2]


def _row_format(row: str) -> str:
    """Return the part of a table row after its names, without the digits."""
    return re.sub(r"[\d.,]+", "", row.rpartition("`")[2])


def test_the_table_of_the_page_has_the_rows_and_columns_that_the_script_prints() -> None:
    header, *rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert header == f"| {' | '.join(cost.HEADER)} |"
    printed = _row_format(cost.table_row("recorded streams", "auto", 1.0, cost.Cost(1.0, 1.0), 0.6))
    assert {_row_format(row) for row in rows} == {printed}
    names = [tuple(cell.strip(" `") for cell in row.split("|")[1:3]) for row in rows]
    assert names == [
        (f"{kind} {form}", dialect)
        for kind in ("generated", "recorded")
        for form in ("completions", "streams")
        for dialect in cost.DIALECTS
    ]


@pytest.mark.parametrize(
    ("seconds", "millions", "needed"),
    [(864, 1, "0.02"), (864, 100, "2"), (864, 10_000, "167"), (51_840, 1, "1"), (86_400, 10_000, "16,667")],
)
def test_cores_follow_from_the_seconds_and_the_share_of_the_time_that_they_are_busy(
    seconds: float, millions: int, needed: str
) -> None:
    assert cost.cores(seconds, millions, 0.6) == needed
