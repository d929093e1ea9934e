"""Test that what an attribution remembers changes no result."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from dialect_examples import (
    EXAMINER,
    KNOWN,
    completion,
    examined,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from reading import read_all

from isogloss.validator.dialects.explainers import AutoExplainer
from isogloss.validator.examining.examined import Examined
from isogloss.validator.exchange import Exchange

FIXTURES = Path(__file__).parents[3] / "fixtures"


def explain_fully(explainer: AutoExplainer, exchange: Examined) -> object:
    """Return the whole result for an exchange, with the evidence about the likeliest candidates."""
    explained = explainer.explain(exchange)
    result = explained.attribution
    assert result is not None
    evidence = [(candidate.slug, result.evidence(candidate.slug)) for candidate in result.candidates[:3]]
    return explained.speaks, result, result.tied, evidence, explained.explained_by, explained.hits


@pytest.mark.parametrize(
    ("first", "first_host", "second", "second_host"),
    [
        ({}, None, {}, "api.openai.com"),
        ({"model": "gpt-4o"}, None, {"model": "step-1"}, None),
        ({"x_groq": {"id": "r"}}, None, {}, None),
        ({}, None, {"more_usage": {"prompt_tokens_details": {"cached_tokens": 0}}}, None),
        ({"choice": {"finish_reason": "eos"}}, None, {"choice": {"finish_reason": "error"}}, None),
    ],
    ids=["host", "forms", "findings", "places", "explaining facts"],
)
def test_remembering_gives_exchanges_with_different_evidence_different_results(
    first: dict[str, Any], first_host: str | None, second: dict[str, Any], second_host: str | None
) -> None:
    answers = examined(completion(**first), first_host), examined(completion(**second), second_host)
    expected = [explain_fully(AutoExplainer(KNOWN), answer) for answer in answers]
    assert expected[0] != expected[1]
    remembering = AutoExplainer(KNOWN)
    assert [explain_fully(remembering, answer) for answer in answers] == expected


def examined_fixtures() -> list[Examined]:
    """Return the answers of the fixtures of dialects, examined."""
    examined_answers = []
    for path in sorted((FIXTURES / "dialects").glob("*/*")):
        for exchange in read_all(path.read_bytes(), path.name):
            if isinstance(exchange, Exchange) and exchange.response is not None:
                examined_answers.append(EXAMINER.examine(exchange))
    return examined_answers


@pytest.mark.slow
def test_remembered_results_for_fixtures_equal_new_ones() -> None:
    answers = examined_fixtures()
    expected = [explain_fully(AutoExplainer(KNOWN), answer) for answer in answers[::4]]
    remembering = AutoExplainer(KNOWN)
    for _ in range(2):
        assert [explain_fully(remembering, answer) for answer in answers][::4] == expected


BODIES = [
    body
    for path in sorted((FIXTURES / "dialects").glob("*/*.json"))
    for body in [json.loads(path.read_text()).get("response")]
    if isinstance(body, dict) and "choices" in body
]


REMEMBERING = AutoExplainer(KNOWN)


@given(
    st.sampled_from(BODIES),
    st.sampled_from(BODIES),
    st.randoms(use_true_random=False),
    st.sampled_from([None, "api.groq.com", "api.openai.com", "localhost"]),
)
def test_remembered_results_for_mixtures_of_dialects_equal_new_ones(
    first: dict[str, Any], second: dict[str, Any], rng: Any, host: str | None
) -> None:
    data = json.dumps({"host": host, "response": _mix(first, second, rng)}).encode()
    exchanges = read_all(data, "record.json")
    assume(all(isinstance(exchange, Exchange) for exchange in exchanges))
    [exchange] = map(EXAMINER.examine, exchanges)
    assert explain_fully(REMEMBERING, exchange) == explain_fully(AutoExplainer(KNOWN), exchange)


def _mix(first: Any, second: Any, rng: Any) -> Any:
    """Return a payload with properties of one payload and of another, mixed at any depth."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        if isinstance(first, list) and isinstance(second, list) and first and second:
            return [_mix(first[0], second[0], rng)]
        return copy.deepcopy(rng.choice([first, second]))
    names = [name for name in {**first, **second} if name == "choices" or rng.random() < 0.8]
    return {
        name: _mix(first[name], second[name], rng) if name in first and name in second else {**first, **second}[name]
        for name in names
    }
