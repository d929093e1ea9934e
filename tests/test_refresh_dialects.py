"""Test ``scripts/refresh_dialects.py``: what it counts in recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
COMPLETION = json.loads((ROOT / "fixtures/conforming/completion/text.json").read_bytes())
TAG = {"in": ["completion"], "at": "tag", "schema": {"type": "string"}, "source": "known"}
TOTAL = {"rule": "usage-total-mismatch", "source": "known"}
DIALECT: dict[str, Any] = {
    "slug": "alpha",
    "name": "Alpha",
    "kind": "vendor",
    "summary": "Sends a tag.",
    "sources": {"known": {"where": "invented", "date": "2026", "confidence": "official-docs"}},
    "deviations": [TAG],
    "behaviours": [TOTAL],
}
TAGGED = COMPLETION | {"tag": "t"}
WITHOUT_USAGE = {name: value for name, value in COMPLETION.items() if name != "usage"}
Refreshed = Callable[[dict[str, list[dict[str, Any]]]], dict[str, Any]]


@pytest.fixture
def refreshed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Refreshed:
    """Return a function that counts the facts of the dialect in answers, which are given by project."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import recorded_facts
    import refresh_dialects

    def refreshed(answers: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
        record = {"vendor": "alpha", "provenance": "recorded", "fidelity": "wire", "status": 200}
        records = [
            record | {"source": {"repo": project, "commit": "0" * 40}, "response": answer}
            for project, its_answers in answers.items()
            for answer in its_answers
        ]
        (tmp_path / "alpha.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
        return refresh_dialects.refresh(DIALECT, recorded_facts.read_recordings(tmp_path)["alpha"])

    return refreshed


@pytest.mark.parametrize(
    ("answers", "counts"),
    [
        ({"large": [TAGGED] * 9, "small": [TAGGED]}, {"seen": [10, 10]}),
        ({"large": [TAGGED] * 9, "small": [COMPLETION]}, {"seen": [9, 10], "projects": [1, 2]}),
        ({"large": [TAGGED] * 9, "small": [TAGGED, COMPLETION]}, {"seen": [10, 11]}),
        ({"large": [*[COMPLETION] * 9, TAGGED], "small": [TAGGED]}, {"seen": [2, 11], "projects": [1, 2]}),
        ({"large": [*[COMPLETION] * 9, TAGGED], "small": [COMPLETION]}, {"seen": [1, 11]}),
    ],
)
def test_projects_are_counted_if_only_some_show_a_fact_in_half_of_their_exchanges(
    refreshed: Refreshed, answers: dict[str, list[dict[str, Any]]], counts: dict[str, Any]
) -> None:
    [deviation] = [one for one in refreshed(answers)["deviations"] if one["at"] == "tag"]
    assert deviation == TAG | counts


def test_counts_of_projects_that_agree_by_now_are_removed(
    refreshed: Refreshed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DIALECT, "deviations", [TAG | {"seen": [1, 2], "projects": [1, 2]}])
    [deviation] = [one for one in refreshed({"one": [TAGGED], "two": [TAGGED]})["deviations"] if one["at"] == "tag"]
    assert deviation == TAG | {"seen": [2, 2]}


@pytest.mark.parametrize(("confidence", "left"), [("recorded", {"seen": [4, 9]}), ("official-docs", {})])
def test_a_count_that_these_recordings_do_not_show_stays_only_if_it_is_of_others(
    refreshed: Refreshed, monkeypatch: pytest.MonkeyPatch, confidence: str, left: dict[str, Any]
) -> None:
    monkeypatch.setitem(DIALECT["sources"]["known"], "confidence", confidence)
    monkeypatch.setitem(DIALECT, "deviations", [TAG | {"seen": [4, 9]}])
    [deviation] = refreshed({"one": [COMPLETION]})["deviations"]
    assert deviation == TAG | left


def test_a_behaviour_is_counted_among_the_exchanges_with_what_its_rule_is_about(refreshed: Refreshed) -> None:
    wrong_total = COMPLETION | {"usage": COMPLETION["usage"] | {"total_tokens": 1}}
    behaviours = refreshed({"one": [wrong_total, COMPLETION, WITHOUT_USAGE]})["behaviours"]
    assert next(one for one in behaviours if one["rule"] == TOTAL["rule"]) == TOTAL | {"seen": [1, 2]}


@pytest.mark.parametrize(
    ("completion_id", "patterns"), [("", []), ("gen-1234567890", ["^gen-[0-9]{10}$"])], ids=["of the parent", "its own"]
)
def test_a_form_of_ids_is_added_only_if_it_is_not_inherited(
    refreshed: Refreshed, monkeypatch: pytest.MonkeyPatch, completion_id: str, patterns: list[str]
) -> None:
    monkeypatch.setitem(DIALECT, "inherits", ["openai-go"])
    fingerprints = refreshed({"one": [TAGGED | {"id": completion_id}] * 3}).get("fingerprints", [])
    assert [one["schema"]["pattern"] for one in fingerprints if one["at"] == "id"] == patterns
