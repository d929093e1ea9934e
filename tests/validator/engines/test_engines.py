"""Test that both engines agree, and that the violations that are listed are those that the reference engine lists."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import schemas
from isogloss.schemas import references
from isogloss.schemas.variants import subschemas
from isogloss.validator.engines import NAMES, fast, load, reference, walk
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.examining.violation_cache import ViolationCache
from isogloss.validator.pointer import Pointer, follow

FIXTURES = Path(__file__).parents[3] / "fixtures"
SCHEMA_FIXTURES = FIXTURES / "schema"
FAST, REFERENCE = (load(name) for name in NAMES)

validator_of = cache(lambda kind: jsonschema.Draft202012Validator(schemas.validation_document(kind)))


def violations_by_reference(kind: str, value: Any) -> list[tuple[Pointer, Pointer]]:
    """Return the pointers into payload and schema of each violated keyword, as the reference engine finds them."""
    errors = validator_of(kind).iter_errors(value)
    return sorted({(tuple(error.absolute_path), _canonical(kind, error.absolute_schema_path)) for error in errors})


def _canonical(kind: str, path: Iterable[str | int]) -> Pointer:
    """Return the pointer of a keyword in its schema, from the path by which an engine reached it through ``$ref``."""
    document = schemas.validation_document(kind)
    node: Any = document
    steps: list[str | int] = []
    for step in path:
        while isinstance(node, dict) and step not in node and "$ref" in node:
            steps = list(references.steps(node["$ref"]))
            node = references.resolve(document, node["$ref"])
        if step == "$ref":
            continue
        steps.append(step)
        node = node[step]
    return tuple(steps)


def named_properties(schema: Any, keyword: str | int, value: Any) -> list[str]:
    """Return the names of the properties that an object lacks or may not have, or no names for other keywords."""
    if keyword == "required":
        return [name for name in schema["required"] if name not in value]
    if keyword == "additionalProperties":
        return sorted(name for name in value if name not in schema.get("properties", ()))
    return []


def assert_same_violations(kind: str, value: Any) -> None:
    errors = list(walk.iter_errors(kind, value))
    assert [(error.pointer, error.schema) for error in errors] == violations_by_reference(kind, value)
    for error in errors:
        schema, target = follow(schemas.validation_document(kind), error.schema[:-1]), follow(value, error.pointer)
        assert list(error.names) == named_properties(schema, error.keyword, target)
    assert FAST(kind)(value) == REFERENCE(kind)(value) == (not errors)


@pytest.mark.parametrize("kind", schemas.NAMES)
def test_every_keyword_of_the_schemas_is_tested_or_followed(kind: str) -> None:
    document = schemas.validation_document(kind)
    conditions = [part["if"] for part in subschemas(document) if "if" in part]  # an engine validates these as a whole
    inside = [id(part) for condition in conditions for part in subschemas(condition)]
    used = {keyword for part in subschemas(document) if id(part) not in inside for keyword in part}
    annotations = {"$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated"}
    assert {keyword for keyword in used - annotations if not keyword.startswith("x-")} <= walk.TESTED | walk.FOLLOWED


@pytest.mark.parametrize("engine", NAMES)
def test_at_most_a_thousand_violations_of_a_rule_are_reported_one_by_one(engine: str) -> None:
    completion = {"choices": [{}] * 3000, "object": "chat.completion", "a": 1}
    found = ViolationCache(load(engine)).violations_of("completion", completion).violations
    missing = [hit for rule, hit in found if rule == "missing-property"]
    assert len(missing) == 1001
    assert missing[-1].message == "8,003 more findings of this rule in this payload"
    assert [hit.pointer for rule, hit in found if rule == "unknown-property"] == [("a",)]


def test_the_faster_engine_is_chosen_where_it_is_installed() -> None:
    assert load() is FAST is fast.test_of_kind
    assert REFERENCE is reference.test_of_kind


def test_engines_agree_that_conforming_fixtures_conform(payloads: list[Any]) -> None:
    assert payloads
    for payload in payloads:
        assert_same_violations(payload.kind, payload.value)


@pytest.mark.parametrize("rule", sorted(folder.name for folder in SCHEMA_FIXTURES.iterdir()))
def test_engines_agree_on_the_violations_in_a_fixture(rule: str) -> None:
    paths = sorted((SCHEMA_FIXTURES / rule).glob("invalid-*.json"))
    assert paths
    for path in paths:
        kind = path.name.removeprefix("invalid-").partition("-")[0]
        value = json.loads(path.read_bytes())
        assert list(walk.iter_errors(kind, value)), path.name
        assert_same_violations(kind, value)


@settings(max_examples=4 * settings().max_examples, derandomize=True)
@given(data=st.data())
def test_engines_agree_on_damaged_payloads(payloads: list[Any], data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(payloads), label="payload")
    value = payload.value
    for change in data.draw(
        st.lists(st.sampled_from(list(payload.changes())), min_size=1, max_size=4), label="changes"
    ):
        value = change.apply_to(value)
    assert_same_violations(payload.kind, value)


def arrays(value: Any) -> Iterator[list[Any]]:
    """Yield every array in a value that has items."""
    if isinstance(value, list) and value:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from arrays(inner)


@given(data=st.data())
def test_engines_agree_on_long_arrays_with_a_damaged_item(payloads: list[Any], data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from([one for one in payloads if any(arrays(one.value))]), label="payload")
    change = data.draw(st.sampled_from(list(payload.changes())), label="change")
    value, damaged = copy.deepcopy(payload.value), change.apply_to(payload.value)
    position = data.draw(st.integers(0, 1000), label="position")
    for array, other in zip(list(arrays(value)), list(arrays(damaged)), strict=False):
        if other != array or data.draw(st.booleans(), label="lengthen"):
            array *= 20
            array.insert(position % len(array), copy.deepcopy(other[0]))
    assert_same_violations(payload.kind, value)


@pytest.mark.parametrize("kind", ["request", "completion", "chunk", "error"])
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", [], {}, [{}], {"a": {}}])
def test_engines_agree_on_values_that_are_no_payloads(kind: str, value: object) -> None:
    assert_same_violations(kind, value)


@pytest.mark.parametrize("value", [101, "1", None, 1.7976931348623157e308, -(10**400), 2**64, 0.5])
def test_engines_agree_on_properties_that_look_like_indices_and_on_extreme_numbers(value: object) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert_same_violations("request", request | {"logit_bias": {"50256": value, "007": value, "7": value, "~/": value}})
    assert_same_violations("request", request | {"0": value, "00": value})
    assert_same_violations("request", request | {"seed": value, "temperature": value, "n": value})


def test_property_that_looks_like_an_index_keeps_its_name_in_the_pointer() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logit_bias": {"007": 101}}
    [(rule, hit)] = violations("request", request, walk.iter_errors("request", request))
    assert (rule, hit.pointer) == ("out-of-range", ("logit_bias", "007"))


@settings(max_examples=3 * settings().max_examples, derandomize=True)
@given(data=st.data())
def test_engines_agree_on_payloads_with_added_properties(payloads: list[Any], data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(payloads), label="payload")
    value = copy.deepcopy(payload.value)
    objects = list(_objects_in(value))
    numbers = st.lists(st.integers(0, len(objects) - 1), min_size=1, max_size=3)
    for parent in [objects[number] for number in data.draw(numbers, label="objects")]:
        name = data.draw(st.sampled_from(["reasoning", "id", "", "50256", "content", "usage"]))
        parent[name] = copy.deepcopy(data.draw(st.sampled_from([None, "", 0, {}, []])))
    assert_same_violations(payload.kind, value)


def _objects_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects_in(inner)
