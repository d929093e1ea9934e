"""The rules about requests: what holds of all of them on any JSON, and what fixtures cannot say."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import schemas
from isogloss.validator import rules
from isogloss.validator.pointer import ABSENT, follow
from isogloss.validator.rules import Hit
from isogloss.validator.views import Request

FIXTURES = Path(__file__).parents[3] / "fixtures"
CONFORMING = [json.loads(path.read_bytes()) for path in sorted(FIXTURES.glob("conforming/request/*.json"))]
SAMPLES = [*CONFORMING, *(json.loads(path.read_bytes()) for path in sorted(FIXTURES.glob("request/*/*.json")))]
ODD: list[Any] = [
    None, True, 0, -1, 1.5, "", "tool", "json_object", "\ud800", [], [None], [[]], [{}], {}, {"name": []}, {"": {}},
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*at, step))


def replaced(payload: Any, at: tuple[str | int, ...], value: Any) -> Any:
    """Return the payload with another value at a pointer. What is not on the way there is shared with the original."""
    if not at:
        return value
    changed = payload.copy()
    changed[at[0]] = replaced(payload[at[0]], at[1:], value)
    return changed


def assert_sound(payload: Any) -> None:
    """Check that each hit has a pointer into the payload, the value there, and a message of one printable line."""
    if not isinstance(payload, dict):
        return
    for hit in (hit for _, check in rules.checks("request") for hit in check(Request(payload))):
        assert hit.message.isprintable()
        parent = follow(payload, hit.pointer[:-1])
        if hit.value is ABSENT:
            assert isinstance(parent, dict)
        else:
            assert follow(parent, hit.pointer[-1:]) == hit.value


@pytest.mark.thorough
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_rule_raises_when_any_value_of_a_good_payload_is_replaced(value: object) -> None:
    for sample in CONFORMING:
        for at in places(sample):
            assert_sound(replaced(sample, at, value))


@settings(max_examples=3 * settings().max_examples)
@given(st.data())
def test_no_rule_raises_on_arbitrary_json_anywhere(data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(SAMPLES))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.sampled_from(list(places(payload))))
        payload = replaced(payload, at, data.draw(JSON))
    assert_sound(payload)


def of(name: str, request: dict[str, Any]) -> list[Hit]:
    return list(dict(rules.checks("request"))[name](Request(request)))


NAMES = st.sampled_from(["city", "day", "type", "properties", "required", "items"])
OBJECTS = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "boolean"])}),
    lambda inner: (
        st.builds(lambda properties: {"type": "object", "properties": properties}, st.dictionaries(NAMES, inner))
        | st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(lambda variants: {"anyOf": variants}, st.lists(inner, min_size=1, max_size=3))
    ),
    max_leaves=8,
)
ROOTS = st.builds(
    lambda properties, defs: {"type": "object", "properties": properties, "$defs": defs},
    st.dictionaries(NAMES, OBJECTS),
    st.dictionaries(NAMES, OBJECTS),
)
STRICT = tuple(name for name in rules.names("request") if name.startswith("strict-"))


def strict_by_the_client(schema: dict[str, Any]) -> Any:
    from openai.lib import _pydantic  # takes a second

    return _pydantic._ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)


@pytest.mark.thorough
@given(ROOTS)
def test_what_the_reference_client_makes_strict_breaks_no_rule_about_strict_schemas(schema: dict[str, Any]) -> None:
    strict = strict_by_the_client(schema)
    tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": strict}}
    response_format = {"type": "json_schema", "json_schema": {"name": "f", "strict": True, "schema": strict}}
    for name in STRICT:
        assert not of(name, {"tools": [tool], "response_format": response_format})


@pytest.mark.thorough
@given(ROOTS)
def test_what_the_reference_client_would_have_to_change_breaks_a_rule(schema: dict[str, Any]) -> None:
    strict = strict_by_the_client(schema)
    tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": schema}}
    assert strict != schema
    assert any(of(name, {"tools": [tool]}) for name in STRICT)


def test_a_schema_of_many_levels_is_walked_without_recursion() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(3000):
        schema = {"type": "array", "items": schema}
    response_format = {"type": "json_schema", "json_schema": {"strict": True, "schema": schema}}
    assert not of("strict-object-open", {"response_format": response_format})


def test_every_member_that_the_request_schema_calls_deprecated_is_reported() -> None:
    members = [name for name, part in schemas.load("request")["properties"].items() if part.get("deprecated")]
    assert {"max_tokens", "functions", "function_call", "seed", "user"} <= set(members)
    for name in members:
        assert [hit.pointer for hit in of("deprecated-property", {name: "any value"})] == [(name,)]


def test_a_deprecated_member_is_reported_with_what_replaced_it() -> None:
    (hit,) = of("deprecated-property", {"max_tokens": 5})
    assert hit.message == "`max_tokens` is deprecated, replaced by `max_completion_tokens`"


def test_both_limits_are_one_finding_not_two() -> None:
    assert rules.rule("token-limits-both").replaces == ("deprecated-property",)
    both = {"max_tokens": 5, "max_completion_tokens": 5}
    assert of("token-limits-both", both)[0].pointer == of("deprecated-property", both)[0].pointer
