"""Test that properties which stand in the object around their own are one finding, and hide no other fault."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from faults import FAULTS
from finding_in_parts import find, find_rules
from good_exchanges import Parts, good_exchange
from plant_faults import SECOND_FAULTS, flatten, move_out, put

from isogloss.validator.findings import Severity

FLATTENED: list[tuple[str, dict[str, Any], tuple[str | int, ...]]] = [
    ("text", {}, ("response", "choices", 0, "message")),
    ("call", {}, ("response", "choices", 0, "message", "tool_calls", 0, "function")),
    ("call", {}, ("request", "tools", 0, "function")),
    (
        "call",
        {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
        ("request", "tool_choice", "function"),
    ),
    (
        "json",
        {"response_format": {"type": "json_schema", "json_schema": {"name": "sky", "schema": {}}}},
        ("request", "response_format", "json_schema"),
    ),
]
"""Good exchanges, options that are added to their requests, and objects without which they are not good."""


@pytest.mark.parametrize(("name", "options", "at"), FLATTENED)
def test_object_whose_properties_stand_in_the_object_around_is_one_finding(
    name: str, options: dict[str, Any], at: tuple[str | int, ...]
) -> None:
    parts = good_exchange(name)
    parts["request"] |= options
    holder: Any = parts
    for step in at[:-1]:
        holder = holder[step]
    inner = holder.pop(at[-1])
    holder |= inner
    (finding,) = find(parts)
    assert finding.rule == "missing-property"
    assert all(f"`{one}`" in finding.message for one in inner)


STREAM_OPTIONS = {"stream_options": {"include_usage": True, "include_obfuscation": False}}


OPTIONAL: list[tuple[str, dict[str, Any], tuple[str | int, ...]]] = [
    ("text", {}, ("response", "usage")),
    ("text", {}, ("response", "usage", "prompt_tokens_details")),
    ("text", {}, ("response", "usage", "completion_tokens_details")),
    ("logprobs", {}, ("response", "choices", 0, "logprobs")),
    ("stream", {}, ("chunks", 4, "usage")),
    ("stream", {}, ("chunks", 4, "usage", "completion_tokens_details")),
    ("stream", {}, ("request", "stream_options")),
    ("stream", STREAM_OPTIONS, ("request", "stream_options")),
]
"""Good exchanges, options that are added to their requests, and objects that may be missing."""


@pytest.mark.parametrize(("name", "options", "at"), OPTIONAL)
def test_optional_object_whose_properties_stand_in_the_object_around_is_one_finding(
    name: str, options: dict[str, Any], at: tuple[str | int, ...]
) -> None:
    parts = good_exchange(name)
    parts["request"] |= copy.deepcopy(options)
    inner = flatten(parts, *at)
    (finding,) = find(parts)
    assert f"Properties of `{at[-1]}` stand in the object around: " in finding.message
    assert all(f"`{one}`" in finding.message for one in inner)


@pytest.mark.parametrize("name", ["calls", "function"])
def test_call_whose_name_and_arguments_stand_in_the_object_around_in_each_chunk_is_one_finding(name: str) -> None:
    parts = good_exchange(name)
    for chunk in parts["chunks"][:3]:
        delta = chunk["choices"][0]["delta"]
        for holder, inner in ((delta, "function_call"), *((one, "function") for one in delta.get("tool_calls", ()))):
            holder |= holder.pop(inner, {})
    (finding,) = find(parts)
    assert "stand in the object around: `arguments`, `name`" in finding.message


@pytest.mark.parametrize(
    "names", [["cached_tokens"], ["cached_tokens", "reasoning_tokens"], ["cached_tokens", "total_cost"]]
)
def test_counts_of_several_objects_that_stand_in_the_usage_stay_findings_of_their_own(names: list[str]) -> None:
    parts = good_exchange("text")
    usage = parts["response"]["usage"]
    del usage["prompt_tokens_details"], usage["completion_tokens_details"]
    usage |= dict.fromkeys(names, 0)
    assert [(one.rule, one.pointer) for one in find(parts)] == [("unknown-property", f"/usage/{one}") for one in names]


def test_properties_beside_the_object_that_has_them_stay_findings_of_their_own() -> None:
    parts = good_exchange("text")
    parts["response"] |= parts["response"]["usage"]
    assert len(find(parts)) == len(parts["response"]["usage"])


def test_calls_beside_the_message_that_makes_them_are_one_finding() -> None:
    parts = good_exchange("turns")
    move_out("request", "messages", 1, "tool_calls")(parts)
    (finding,) = find(parts)
    assert (finding.rule, finding.severity, finding.pointer) == ("unknown-property", Severity.ERROR, "/tool_calls")
    assert "It is missing at `messages[].tool_calls`. From this follows " in finding.message


@pytest.mark.parametrize("at", [("response", "usage"), ("request", "messages", 1, "tool_calls")])
def test_property_in_another_object_hides_no_other_fault(at: tuple[str | int, ...]) -> None:
    for second, fault, rule in SECOND_FAULTS:
        parts = good_exchange("turns")
        if second[0] not in parts or second[: len(at)] == at:
            continue
        put(*second, value=fault)(parts)
        if at[-1] == "usage":
            flatten(parts, *at)
        else:
            move_out(*at)(parts)
        assert rule in find_rules(parts), second


IN_ANSWERS = [
    (label, name, plant)
    for label, name, plant, _ in FAULTS
    if good_exchange(name).get("response", {}).get("usage") and "the usage" not in label
]


@pytest.mark.parametrize(("label", "name", "plant"), IN_ANSWERS)
def test_fault_is_not_hidden_by_properties_of_the_usage_in_the_object_around(
    label: str, name: str, plant: Callable[[Parts], None]
) -> None:
    parts = good_exchange(name)
    plant(parts)
    if isinstance(parts["response"], dict) and parts["response"].get("usage"):
        flatten(parts, "response", "usage")
        assert len(find(parts)) > 1, label
