"""Test ``isogloss probe --repeat``, which measures how often a model does what it is free to decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from isogloss.cli.probe.cases import CASES
from isogloss.cli.probe.outcome import Outcome, Standing
from isogloss.cli.probe.repeating import join_repeated, repeat_cases, wilson

Probe = Callable[..., Result]
Serve = Callable[..., Any]


def unreliable_handler(wire: SimpleNamespace) -> Callable[[Any], None]:
    """Return a handler for a server whose model calls no tool in every fourth answer to a request with tools."""
    number = count(1)

    def handle(request: Any) -> None:
        payload = request.json() if request.path == "/v1/chat/completions" else {}
        if not payload.get("tools"):
            wire.answer_correctly(request)
            return
        changes = {"tool_choice": "required"} if next(number) % 4 else {"tools": [], "tool_choice": "none"}
        request.respond(wire.response(200, "application/json", json.dumps(wire.completion(payload | changes)).encode()))

    return handle


def test_a_case_that_the_model_decides_has_a_rate_with_an_interval(
    probe: Probe, serve: Serve, wire: SimpleNamespace, validate: Callable[[Any], None]
) -> None:
    options = ("--case", "plain", "--case", "tool-auto", "--repeat", "8", "--jobs", "1", "--ignore", "length-masked")
    report = json.loads(probe(serve(unreliable_handler(wire)).url, *options, "--format", "json").stdout)
    validate(report)
    cases = {case["name"]: case for case in report["cases"]}
    assert list(cases) == ["plain", "tool-auto"]
    assert len(cases["tool-auto"]["answers"]) == 8
    repeated = cases["tool-auto"]["repeated"]
    assert (repeated["conforming"], repeated["of"]) == (6, 8)
    assert repeated["low"] == pytest.approx(0.4093, abs=1e-4)
    assert repeated["high"] == pytest.approx(0.9285, abs=1e-4)
    assert cases["tool-auto"]["standing"] == "conforms"
    assert "conforms 6 of 8 times, 75 % (95 % interval: 41 to 93 %)" in cases["tool-auto"]["reason"]


def test_a_case_that_is_sent_last_is_not_repeated() -> None:
    last = [case for case in CASES if case.last]
    assert any(case.expects is not None for case in last)
    assert list(repeat_cases(last, 3)) == last


@pytest.mark.parametrize(
    ("standings", "standing"),
    [
        (("conforms", "unsupported"), "unsupported"),
        (("unsupported", "conforms", "deviates"), "deviates"),
        (("inconclusive", "conforms"), "conforms"),
        (("inconclusive", "unsupported"), "unsupported"),
    ],
)
def test_if_repetitions_end_differently_the_worst_one_with_a_verdict_counts(
    standings: tuple[Standing, ...], standing: Standing
) -> None:
    case = next(case for case in CASES if case.name == "tool-auto")
    sent = repeat_cases([case], len(standings))
    outcomes = [Outcome(case=one, standing=end) for one, end in zip(sent, standings, strict=True)]
    assert [(one.case.name, one.standing) for one in join_repeated(outcomes)] == [("tool-auto", standing)]


def test_a_case_is_sent_only_once_without_repeat(probe: Probe, serve: Serve, wire: SimpleNamespace) -> None:
    report = json.loads(probe(serve(wire.answer_correctly).url, "--case", "tool-auto", "--format", "json").stdout)
    (case,) = report["cases"]
    assert "repeated" not in case
    assert len(case["answers"]) == 1


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_rate_lies_in_its_interval(one: int, other: int) -> None:
    conforming, total = min(one, other), max(one, other)
    low, high = wilson(conforming, total)
    assert 0 <= low <= high <= 1
    if total:
        assert low <= conforming / total <= high
        narrow_low, narrow_high = wilson(conforming * 10, total * 10)
        assert narrow_high - narrow_low <= high - low
