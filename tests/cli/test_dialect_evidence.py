"""Tests of how strong and how new the evidence of dialects is, and which dialects are stale."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import schemas
from isogloss.cli.descriptions.dialect_evidence import STRENGTHS, Period, evidence, last_day, newest

Isogloss = Callable[..., Any]


def write_dialect(tmp_path: Path, *sources: tuple[str, str], facts: bool = True, **properties: Any) -> Path:
    """Write the file of a dialect with one fact from each source, and return its path.

    Each source is given as its confidence and its date.
    """
    path = tmp_path / "acme.json"
    keys = {f"source-{number}": source for number, source in enumerate(sources)}
    data: dict[str, Any] = {
        "slug": "acme",
        "name": "Acme",
        "kind": "vendor",
        "summary": "Made up for a test.",
        "sources": {
            key: {"where": "made up", "confidence": confidence, "date": date}
            for key, (confidence, date) in keys.items()
        },
        "deviations": [
            {"in": ["completion"], "at": f"x_{number}", "schema": {"type": "string"}, "source": key}
            for number, key in enumerate(keys)
            if facts
        ],
    }
    path.write_text(json.dumps(data | properties), "utf-8")
    return path


def find_entry(isogloss: Isogloss, command: str, path: Path, *options: str) -> dict[str, Any] | None:
    """Return the entry of the dialect ``acme`` in what a command prints, or ``None`` if there is none."""
    result = isogloss("dialects", command, "--dialect-file", path, "--format", "json", *options)
    assert result.returncode == 0
    entries: list[dict[str, Any]] = json.loads(result.stdout)
    return next((entry for entry in entries if entry["slug"] == "acme"), None)


def test_the_list_has_the_strongest_evidence_with_its_own_newest_date(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_dialect(
        tmp_path,
        ("official-docs", "2026-09"),
        ("recorded", "2025-03"),
        ("recorded", "2025-11-02"),
        ("unverified", "2026"),
    )
    result = isogloss("dialects", "list", "--dialect-file", path)
    [line] = [line for line in result.stdout.splitlines() if line.startswith("acme ")]
    assert line.split(maxsplit=4) == ["acme", "vendor", "recorded", "2025-11-02", "Made up for a test."]
    entry = find_entry(isogloss, "list", path)
    assert entry is not None
    assert entry["evidence"] == [
        {"strength": "recorded", "date": "2025-11-02", "facts": 2},
        {"strength": "official-docs", "date": "2026-09", "facts": 1},
    ]


def test_every_dialect_that_ships_has_evidence() -> None:
    assert [slug for slug in schemas.dialects() if not evidence(schemas.dialect(slug))] == []


def test_inherited_facts_are_not_evidence(isogloss: Isogloss, tmp_path: Path) -> None:
    entry = find_entry(
        isogloss, "list", write_dialect(tmp_path, ("official-docs", "2024"), facts=False, inherits=["vllm"])
    )
    assert entry is not None
    assert entry["evidence"] == [{"strength": "official-docs", "date": "2024", "facts": 0}]


def test_stale_lists_dialects_without_new_evidence_oldest_first(isogloss: Isogloss, tmp_path: Path) -> None:
    result = isogloss("dialects", "stale", "--dialect-file", write_dialect(tmp_path, ("recorded", "2001-01")))
    assert result.returncode == 0
    assert result.stdout.splitlines()[0].split(maxsplit=1) == ["acme", "recorded 2001-01 (1 fact)"]
    last_by_name = tmp_path / "last.json"
    last_by_name.write_text((tmp_path / "acme.json").read_text("utf-8").replace('"acme"', '"zzz"'), "utf-8")
    result = isogloss("dialects", "stale", "--older-than", "0d", "--dialect-file", last_by_name)
    assert len(result.stdout.splitlines()) > 9
    assert result.stdout.startswith("zzz ")


def test_one_new_source_is_enough_for_a_dialect_not_to_be_stale(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_dialect(tmp_path, ("recorded", "2001-01"), ("third-party", "2099"))
    assert find_entry(isogloss, "stale", path) is None


def test_unverified_evidence_does_not_count(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_dialect(tmp_path, ("unverified", "2099"))
    assert find_entry(isogloss, "stale", path) is not None
    assert "nothing verified" in isogloss("dialects", "stale", "--dialect-file", path).stdout


def test_older_than_takes_a_period(isogloss: Isogloss, tmp_path: Path) -> None:
    path = write_dialect(tmp_path, ("recorded", "2001-01"))
    assert find_entry(isogloss, "stale", path, "--older-than", "2y") is not None
    assert find_entry(isogloss, "stale", path, "--older-than", "9999y") is None
    for invalid in ("12", "mo", "-1d", "1.5y", "12 mo", "99999d"):
        assert isogloss("dialects", "stale", f"--older-than={invalid}").returncode == 2


@pytest.mark.parametrize(
    ("date", "last"),
    [("2024", (2024, 12, 31)), ("2024-02", (2024, 2, 29)), ("2025-02", (2025, 2, 28)), ("2025-11-03", (2025, 11, 3))],
)
def test_the_last_day_of_an_incomplete_date_is_the_latest_possible(date: str, last: tuple[int, int, int]) -> None:
    assert last_day(date) == datetime.date(*last)


def test_the_last_day_of_an_impossible_date_is_the_last_possible_day_before_it() -> None:
    assert last_day("2025-02-31") == datetime.date(2025, 2, 28)
    assert last_day("2025-13") == datetime.date(2025, 12, 31)


@given(st.lists(st.tuples(st.sampled_from([*STRENGTHS, "unverified"]), st.dates(datetime.date(2000, 1, 1)))))
def test_the_newest_evidence_is_the_newest_verified_source_of_a_fact(sources: list[tuple[str, datetime.date]]) -> None:
    data = {name: [] for name in schemas.FACTS} | {
        "sources": {
            str(n): {"confidence": confidence, "date": str(date)} for n, (confidence, date) in enumerate(sources)
        },
        "behaviours": [{"rule": "done-missing", "source": str(n)} for n in range(len(sources))],
    }
    verified = [date for confidence, date in sources if confidence != "unverified"]
    assert newest(data) == max(verified, default=datetime.date.min)
    assert [item.strength for item in evidence(data)] == [
        strength for strength in STRENGTHS if strength in dict(sources)
    ]


@given(st.integers(0, 9999), st.sampled_from(["d", "w", "mo", "y"]), st.dates())
def test_a_longer_period_begins_no_later(count: int, unit: str, day: datetime.date) -> None:
    start = Period.parse(f"{count}{unit}").before(day)
    assert Period.parse(f"{min(count + 1, 9999)}{unit}").before(day) <= start <= day
