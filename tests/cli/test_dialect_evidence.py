"""How strong and how new the evidence of dialects is, and which are to be looked at again."""

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
from isogloss.cli.dialect_evidence import STRENGTHS, Period, evidence, last_day, newest

Run = Callable[..., Any]


def dialect(tmp_path: Path, *sources: tuple[str, str], facts: bool = True, **more: Any) -> Path:
    """Write the file of a dialect that has a fact from each source, and return its path.

    A source is given as its confidence and its date.
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
    path.write_text(json.dumps(data | more), "utf-8")
    return path


def listed(isogloss: Run, command: str, path: Path, *options: str) -> dict[str, Any] | None:
    done = isogloss("dialects", command, "--dialect-file", path, "--format", "json", *options)
    assert done.returncode == 0
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return next((one for one in found if one["slug"] == "acme"), None)


def test_the_list_has_the_strongest_evidence_with_its_own_newest_date(isogloss: Run, tmp_path: Path) -> None:
    path = dialect(
        tmp_path,
        ("official-docs", "2026-09"),
        ("recorded", "2025-03"),
        ("recorded", "2025-11-02"),
        ("unverified", "2026"),
    )
    done = isogloss("dialects", "list", "--dialect-file", path)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("acme ")]
    assert line.split(maxsplit=4) == ["acme", "vendor", "recorded", "2025-11-02", "Made up for a test."]
    found = listed(isogloss, "list", path)
    assert found is not None
    assert found["evidence"] == [
        {"strength": "recorded", "date": "2025-11-02", "facts": 2},
        {"strength": "official-docs", "date": "2026-09", "facts": 1},
    ]


def test_every_dialect_that_ships_has_evidence() -> None:
    assert [slug for slug in schemas.dialects() if not evidence(schemas.dialect(slug))] == []


def test_what_a_dialect_inherits_is_no_evidence_of_its_own(isogloss: Run, tmp_path: Path) -> None:
    found = listed(isogloss, "list", dialect(tmp_path, ("official-docs", "2024"), facts=False, inherits=["vllm"]))
    assert found is not None
    assert found["evidence"] == [{"strength": "official-docs", "date": "2024", "facts": 0}]


def test_stale_lists_dialects_without_new_evidence_oldest_first(isogloss: Run, tmp_path: Path) -> None:
    done = isogloss("dialects", "stale", "--dialect-file", dialect(tmp_path, ("recorded", "2001-01")))
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].split(maxsplit=1) == ["acme", "recorded 2001-01 (1 fact)"]


def test_one_new_source_is_enough_for_a_dialect_not_to_be_stale(isogloss: Run, tmp_path: Path) -> None:
    path = dialect(tmp_path, ("recorded", "2001-01"), ("third-party", "2099"))
    assert listed(isogloss, "stale", path) is None


def test_evidence_that_nobody_verified_does_not_count(isogloss: Run, tmp_path: Path) -> None:
    path = dialect(tmp_path, ("unverified", "2099"))
    assert listed(isogloss, "stale", path) is not None
    assert "nothing verified" in isogloss("dialects", "stale", "--dialect-file", path).stdout


def test_how_old_is_a_span_of_time(isogloss: Run, tmp_path: Path) -> None:
    path = dialect(tmp_path, ("recorded", "2001-01"))
    assert listed(isogloss, "stale", path, "--older-than", "2y") is not None
    assert listed(isogloss, "stale", path, "--older-than", "9999y") is None
    for wrong in ("12", "mo", "-1d", "1.5y", "12 mo", "99999d"):
        assert isogloss("dialects", "stale", f"--older-than={wrong}").returncode == 2


@pytest.mark.parametrize(
    ("date", "last"),
    [("2024", (2024, 12, 31)), ("2024-02", (2024, 2, 29)), ("2025-02", (2025, 2, 28)), ("2025-11-03", (2025, 11, 3))],
)
def test_a_date_without_a_day_is_as_late_as_it_can_be(date: str, last: tuple[int, int, int]) -> None:
    assert last_day(date) == datetime.date(*last)


def test_a_date_that_no_calendar_has_is_as_late_as_its_month() -> None:
    assert last_day("2025-02-31") == datetime.date(2025, 2, 28)
    assert last_day("2025-13") == datetime.date(2025, 12, 31)


@given(st.lists(st.tuples(st.sampled_from([*STRENGTHS, "unverified"]), st.dates(datetime.date(2000, 1, 1)))))
def test_the_newest_evidence_is_the_newest_verified_source_of_a_fact(sources: list[tuple[str, datetime.date]]) -> None:
    data = {name: [] for name in schemas.FACTS} | {
        "sources": {str(n): {"confidence": one, "date": str(date)} for n, (one, date) in enumerate(sources)},
        "behaviours": [{"rule": "done-missing", "source": str(n)} for n in range(len(sources))],
    }
    verified = [date for one, date in sources if one != "unverified"]
    assert newest(data) == max(verified, default=datetime.date.min)
    assert [one.strength for one in evidence(data)] == [one for one in STRENGTHS if one in dict(sources)]


@given(st.integers(0, 9999), st.sampled_from(["d", "w", "mo", "y"]), st.dates())
def test_a_longer_time_ends_no_later(count: int, unit: str, day: datetime.date) -> None:
    before = Period.parse(f"{count}{unit}").before(day)
    assert Period.parse(f"{min(count + 1, 9999)}{unit}").before(day) <= before <= day
