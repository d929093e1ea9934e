"""Test the rules about completions and requests with any JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from changed_payloads import JSON, replace_value
from hypothesis import given, settings
from hypothesis import strategies as st
from json_texts import pointers

from isogloss.validator import rules
from isogloss.validator.pointer import ABSENT, follow
from isogloss.validator.views import Completion, Request

FIXTURES = Path(__file__).parents[3] / "fixtures"
VIEWS = {"completion": Completion, "request": Request}
CONFORMING, SAMPLES = (
    {kind: [json.loads(path.read_bytes()) for path in sorted(FIXTURES.glob(pattern % kind))] for kind in VIEWS}
    for pattern in ("conforming/%s/*.json", "%s/*/*.json")
)
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 10**30, 1.5, "", "stop", "tool", "tool_calls", "json_object", "\ud800",
    [], [None], [[]], [{}], {}, {"name": []}, {"": {}},
]  # fmt: skip


def assert_valid_hits(kind: str, payload: Any) -> None:
    """Check that each hit has a pointer into the payload, the value there, and a message of one printable line."""
    if not isinstance(payload, dict):
        return
    view = VIEWS[kind](payload)
    for hit in (hit for _, check in rules.checks(kind) for hit in check(view)):
        assert hit.message.isprintable()
        parent = follow(payload, hit.pointer[:-1])
        if hit.value is ABSENT:
            assert isinstance(parent, dict)
        else:
            assert follow(parent, hit.pointer[-1:]) == hit.value


@pytest.mark.thorough
@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("value", ODD_VALUES, ids=repr)
def test_no_rule_raises_when_any_value_of_a_conforming_payload_is_replaced(value: object, kind: str) -> None:
    for sample in CONFORMING[kind]:
        for pointer in pointers(sample):
            assert_valid_hits(kind, replace_value(sample, pointer, value))


@pytest.mark.parametrize("kind", VIEWS)
@settings(max_examples=3 * settings().max_examples)
@given(data=st.data())
def test_no_rule_raises_on_arbitrary_json_anywhere(kind: str, data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from([*CONFORMING[kind], *SAMPLES[kind]]))
    for _ in range(data.draw(st.integers(1, 3))):
        pointer = data.draw(st.sampled_from(pointers(payload)))
        payload = replace_value(payload, pointer, data.draw(JSON))
    assert_valid_hits(kind, payload)
