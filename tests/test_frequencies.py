"""Test that the frequencies in the dialect files are those of the recordings, except where a reason is given."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from isogloss import schemas

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize("name", ["frequency_exceptions.json", "refresh_ignored.json"])
def test_exceptions_are_few_and_each_has_a_dialect_and_a_reason(name: str) -> None:
    rows = json.loads((SCRIPTS / name).read_text("utf-8"))
    assert len(rows) <= 40
    for row in rows:
        dialects = row["dialects"] if "dialects" in row else [row["dialect"]]
        assert set(dialects) <= {"*", *schemas.dialects()}, row
        assert len(row["why"].split()) >= 4, row


@pytest.mark.slow
def test_every_fact_with_many_opportunities_is_as_frequent_in_its_file_as_in_the_recordings(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    import measure_frequencies

    monkeypatch.setattr(sys, "argv", ["measure_frequencies.py", "--recordings", str(shared / "corpus")])
    code = measure_frequencies.main()
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert " agree" in printed
