"""Test that what takes part in a finding may grow: the work to judge it grows in proportion.

All lists of objects in a fixture grow together, since a rule that compares two parts of an exchange, such as the calls
and the tools, takes work in proportion to their product if it reads one of them again for each item of the other. The
work is counted in function calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fuzz
import pytest
from call_counts import count_calls

from isogloss.validator import engines
from isogloss.validator.judging.judge import Judge

FIXTURES = Path(__file__).parents[3] / "fixtures"
_SIZES = (32, 64, 128)
_MOST_GROWTH = 2.6
"""Twice the items that are added may take this many times the function calls that are added."""
_IDENTIFYING = ("id", "tool_call_id", "name")


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(engines.load())


def _first_invalid(*groups: str) -> list[Any]:
    """Return the first fixture of each rule of some groups that breaks it, if it is one document or stream."""
    found = []
    for rule in [rule for group in groups for rule in sorted(FIXTURES.joinpath(group).iterdir())]:
        paths = sorted([*rule.glob("**/invalid*.json"), *rule.glob("**/invalid*.sse")])
        found += [pytest.param(path, id=f"{rule.parent.name}/{rule.name}") for path in paths[:1]]
    return found


def _lists_in(value: Any) -> Iterator[list[Any]]:
    """Yield the innermost lists of objects in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [one for item in inner for one in _lists_in(item)]
    if not found and isinstance(value, list) and value and isinstance(value[-1], dict):
        found = [value]
    yield from found


def _renamed(value: Any, number: int) -> Any:
    """Return a value with other ids, names and indexes."""
    if not isinstance(value, dict):
        return value
    renamed = {name: _renamed(inner, number) for name, inner in value.items()}
    renamed |= {name: f"{value[name]}{number}" for name in _IDENTIFYING if isinstance(value.get(name), str)}
    return renamed | ({"index": value["index"] + number} if type(value.get("index")) is int else {})


def _grown_document(text: str, size: int) -> str:
    document = json.loads(text)
    for items in _lists_in(document):
        items += [_renamed(items[-1], number + 1) for number in range(size)]
    return json.dumps(document)


def _grown_stream(text: str, size: int) -> str:
    """Return a stream whose events are repeated, each time for other choices, or for the same ones with other calls."""
    events = [event.removeprefix("data:") for event in text.split("\n\n") if event.strip()]
    return "".join(f"data: {_for_another(event, number)}\n\n" for number in range(size) for event in events)


def _for_another(event: str, number: int) -> str:
    try:
        chunk = json.loads(event)
    except ValueError:
        return event
    for choices in _lists_in(chunk):
        choices[:] = [_renamed(one, number) for one in choices]
    return json.dumps(chunk)


def _calls(judge: Judge, text: str) -> list[int]:
    grow = _grown_document if text.lstrip().startswith("{") else _grown_stream
    captures = [grow(text, size).encode() for size in _SIZES]
    fuzz.check(captures[0], judge)  # does what is done only once in a process
    return [count_calls(partial(fuzz.check, data, judge)) for data in captures]


def _assert_proportional(calls: list[int]) -> None:
    small, middle, large = calls
    assert large - middle <= _MOST_GROWTH * max(middle - small, 500), calls


@pytest.mark.parametrize("path", _first_invalid("pair"))
def test_the_work_to_judge_a_request_with_its_answer_grows_in_proportion_to_both(path: Path, judge: Judge) -> None:
    _assert_proportional(_calls(judge, path.read_text("utf-8")))


@pytest.mark.thorough
@pytest.mark.parametrize("path", _first_invalid("completion", "request", "stream"))
def test_the_work_to_judge_a_payload_grows_in_proportion_to_its_parts(path: Path, judge: Judge) -> None:
    _assert_proportional(_calls(judge, path.read_text("utf-8")))
