"""``isogloss probe --repeat``: how often a model does what it decides itself."""

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

from isogloss.cli.probe.repeating import wilson

Probe = Callable[..., Result]
Serve = Callable[..., Any]


def moody(wire: SimpleNamespace) -> Callable[[Any], None]:
    """Return the behaviour of a server whose model calls no tool in every fourth answer to a request with tools."""
    number = count(1)

    def answer(asked: Any) -> None:
        request = asked.json() if asked.path == "/v1/chat/completions" else {}
        if not request.get("tools"):
            wire.well(asked)
            return
        decided = {"tool_choice": "required"} if next(number) % 4 else {"tools": [], "tool_choice": "none"}
        asked.write(wire.http(200, "application/json", json.dumps(wire.completion(request | decided)).encode()))

    return answer


def test_what_a_model_decides_has_a_rate_with_an_interval(
    probe: Probe, serve: Serve, wire: SimpleNamespace, validate: Callable[[Any], None]
) -> None:
    options = ("--case", "plain", "--case", "tool-auto", "--repeat", "8", "--jobs", "1", "--ignore", "length-masked")
    report = json.loads(probe(serve(moody(wire)).url, *options, "--format", "json").stdout)
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


def test_without_it_every_case_is_asked_once(probe: Probe, serve: Serve, wire: SimpleNamespace) -> None:
    report = json.loads(probe(serve(wire.well).url, "--case", "tool-auto", "--format", "json").stdout)
    (case,) = report["cases"]
    assert "repeated" not in case
    assert len(case["answers"]) == 1


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_rate_lies_in_its_interval(one: int, other: int) -> None:
    found, of = min(one, other), max(one, other)
    low, high = wilson(found, of)
    assert 0 <= low <= high <= 1
    if of:
        assert low <= found / of <= high
        more_low, more_high = wilson(found * 10, of * 10)
        assert more_high - more_low <= high - low
