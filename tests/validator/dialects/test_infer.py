"""Test what a draft of a dialect counts: the exchanges that show a deviation, and those that could show it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import CHUNKS
from reading import read_all

from isogloss.validator import engines
from isogloss.validator.dialects.infer import Inferred, infer
from isogloss.validator.engines import predicate, reference
from isogloss.validator.examining.examiner import Examiner
from isogloss.validator.exchange import Exchange

COMPLETION = json.loads((Path(__file__).parents[3] / "fixtures/conforming/completion/text.json").read_text())


def _infer(*completions: dict[str, Any]) -> Inferred:
    examiner = Examiner(engines.load())
    data = "".join(json.dumps(completion) + "\n" for completion in completions).encode()
    exchanges = read_all(data, "log.jsonl")
    return infer(examiner.examine(exchange) for exchange in exchanges if isinstance(exchange, Exchange))


def _seen(inferred: Inferred, path: str) -> list[int]:
    [deviation] = [one for one in inferred.deviations if one["at"] == path]
    seen: list[int] = deviation["seen"]
    return seen


def _forms_of_id(value: str) -> list[dict[str, Any]]:
    """Return the schemas of the forms that are drafted for an id: none if a recorder overwrote it."""
    return [one["schema"] for one in _infer(COMPLETION | {"id": value}).fingerprints if one["at"] == "id"]


def test_only_exchanges_with_the_object_around_a_deviation_could_show_it() -> None:
    [choice] = COMPLETION["choices"]
    deviating = COMPLETION | {"choices": [choice | {"x": 1}], "y": 1}
    without_choices = COMPLETION | {"choices": []}
    inferred = _infer(deviating, COMPLETION, without_choices)
    assert _seen(inferred, "choices[].x") == [1, 2]
    assert _seen(inferred, "y") == [1, 3]


def test_only_exchanges_with_what_a_rule_is_about_could_break_it() -> None:
    wrong_total = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 3}}
    without_usage = {name: value for name, value in COMPLETION.items() if name != "usage"}
    inferred = _infer(COMPLETION | wrong_total, COMPLETION, without_usage)
    seen = {one["rule"]: one["seen"] for one in inferred.behaviours}
    assert seen == {"usage-absent": [1, 3], "usage-total-mismatch": [1, 2]}


def test_an_example_of_each_fact_is_named_by_its_file_its_exchange_and_its_path() -> None:
    wrong_total = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 3}}
    inferred = _infer(COMPLETION, COMPLETION | {"y": 1}, COMPLETION | wrong_total | {"y": 1})
    assert inferred.examples["completion y"] == "log.jsonl, exchange 1, at y"
    assert inferred.examples["usage-total-mismatch"] == "log.jsonl, exchange 2"


def test_an_object_behind_items_of_other_types_could_show_a_deviation() -> None:
    [choice] = COMPLETION["choices"]
    behind_text = COMPLETION | {"choices": ["text", choice]}
    assert _seen(_infer(COMPLETION | {"choices": [choice | {"x": 1}]}, behind_text), "choices[].x") == [1, 2]


def test_the_words_of_an_enumeration_are_listed_whichever_rule_is_broken_by_them() -> None:
    tiers = ["zap", "zip", "zup"]
    chunks = [{**chunk, "service_tier": tier} for chunk, tier in zip(CHUNKS, tiers, strict=False)]
    data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()
    examiner = Examiner(engines.load())
    examined = [examiner.examine(one) for one in read_all(data, "a.sse") if isinstance(one, Exchange)]
    assert {"unknown-value", "stream-tier-changed"} <= {hit.rule for one in examined for hit in one.hits}
    schemas = [one["schema"] for one in infer(examined).deviations if one["at"] == "service_tier"]
    listed = [word for schema in schemas for part in schema.get("anyOf", [schema]) for word in part["enum"]]
    assert set(listed) == set(tiers[: len(chunks)])


@pytest.mark.parametrize("is_accepted", [predicate, reference.make_test])
@given(value=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example(value="id-1234567")
@example(value="run-\u0661\u0662")
@example(value="\u00e9t\u00e9-42")
@example(value=" 7 ")
def test_the_drafted_form_of_an_id_accepts_this_id_with_both_engines(
    is_accepted: Callable[[dict[str, Any]], Callable[[object], bool]], value: str
) -> None:
    assert all(is_accepted(form)(value) for form in _forms_of_id(value))


@pytest.mark.parametrize("digits", ["1", "1234567890", "12ab"])
def test_a_drafted_form_has_the_digits_0_to_9_alone(digits: str) -> None:
    """Python and JavaScript do not agree on what ``\\d`` is."""
    [form] = _forms_of_id(f"run-{digits}")
    assert "\\d" not in form["pattern"]
    assert "0-9" in form["pattern"]


@pytest.mark.parametrize(("words", "is_listed"), [(12, True), (13, False)])
def test_at_most_twelve_words_of_an_enumeration_are_listed(words: int, is_listed: bool) -> None:
    tiers = [f"tier-{number}" for number in range(words)]
    [deviation] = [one for one in _infer(*_with("service_tier", tiers)).deviations if one["at"] == "service_tier"]
    assert deviation["schema"] == ({"enum": sorted(tiers)} if is_listed else {"type": "string"})


def test_the_three_most_frequent_forms_of_an_id_are_drafted() -> None:
    ids = [
        f"{prefix}_{number}"
        for count, prefix in enumerate(("ab", "cd", "ef", "gh"), start=2)
        for number in range(count)
    ]
    patterns = [one["schema"]["pattern"] for one in _infer(*_with("id", ids)).fingerprints if one["at"] == "id"]
    assert patterns == ["^gh_[0-9]+$", "^ef_[0-9]+$", "^cd_[0-9]+$"]


@pytest.mark.parametrize(("others", "is_drafted"), [(3, True), (4, False)])
def test_a_form_that_one_of_five_ids_or_more_has_is_not_drafted(others: int, is_drafted: bool) -> None:
    ids = ["other_0", *[f"run_{number}" for number in range(others)]]
    patterns = {one["schema"]["pattern"] for one in _infer(*_with("id", ids)).fingerprints if one["at"] == "id"}
    assert patterns == {"^run_[0-9]+$"} | ({"^other_[0-9]+$"} if is_drafted else set())


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("abcdefgh-1", "^abcdefgh-[0-9]+$"),
        ("abcdefghi-1", "^[A-Za-z0-9]{9}-[0-9]+$"),
        ("x-123456789", "^x-[0-9]+$"),
        ("x-1234567890", "^x-[0-9]{10}$"),
        ("0a1b2c3d4e5f", "^[0-9a-f]{12}$"),
        ("gen-0a1b2c3d4e5f", "^gen-[0-9a-f]{12}$"),
        ("chatcmpl-tool-0a1b2c3d4e5f", "^chatcmpl-tool-[0-9a-f]{12}$"),
        ("chatcmpl-b7b56af0-52a6-483f-a589-948182676a1b",
         "^chatcmpl-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"),
    ],
)  # fmt: skip
def test_a_form_has_short_words_as_they_are_and_classes_of_other_characters(value: str, pattern: str) -> None:
    assert [form["pattern"] for form in _forms_of_id(value)] == [pattern]


def _with(name: str, values: list[str]) -> list[dict[str, Any]]:
    """Return completions that have these values in a property."""
    return [COMPLETION | {name: value} for value in values]
