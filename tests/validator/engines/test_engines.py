"""The two engines are held equal, and what is listed as violated to what the reference engine lists."""

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
from isogloss.validator.engines import NAMES, load, walk
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.examining.violation_cache import ViolationCache
from isogloss.validator.pointer import Pointer, follow

FIXTURES = Path(__file__).parents[3] / "fixtures"
SINGLE = FIXTURES / "schema"
FAST, REFERENCE = (load(name) for name in NAMES)

reference = cache(lambda kind: jsonschema.Draft202012Validator(schemas.validation_document(kind)))


def listed(kind: str, value: Any) -> list[tuple[Pointer, Pointer]]:
    """Return the pointers into payload and schema of each violated keyword, as the reference engine finds them."""
    errors = reference(kind).iter_errors(value)
    return sorted({(tuple(one.absolute_path), _canonical(kind, one.absolute_schema_path)) for one in errors})


def _canonical(kind: str, path: Iterable[str | int]) -> Pointer:
    """Turn the path by which an engine reached a keyword into the pointer of the keyword: each ``$ref`` restarts it."""
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


def concerned(schema: Any, keyword: str | int, value: Any) -> list[str]:
    """Return the names of the properties that an object lacks or may not have, or no names for other keywords."""
    if keyword == "required":
        return [name for name in schema["required"] if name not in value]
    if keyword == "additionalProperties":
        return [name for name in value if name not in schema.get("properties", ())]
    return []


def assert_equal(kind: str, value: Any) -> None:
    errors = list(walk.iter_errors(kind, value))
    assert [(error.pointer, error.schema) for error in errors] == listed(kind, value)
    for pointer, (*at, keyword), names in errors:
        schema, inside = follow(schemas.validation_document(kind), at), follow(value, pointer)
        assert list(names) == concerned(schema, keyword, inside)
    assert FAST.validator(kind)(value) == REFERENCE.validator(kind)(value) == (not errors)


@pytest.mark.parametrize("kind", schemas.NAMES)
def test_payloads_are_held_against_every_keyword_of_the_schemas(kind: str) -> None:
    document = schemas.validation_document(kind)
    conditions = [part["if"] for part in subschemas(document) if "if" in part]  # an engine tests them as they are
    inside = [id(part) for condition in conditions for part in subschemas(condition)]
    used = {keyword for part in subschemas(document) if id(part) not in inside for keyword in part}
    annotations = {"$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated"}
    assert {word for word in used - annotations if not word.startswith("x-")} <= walk.TESTED | walk.FOLLOWED


@pytest.mark.parametrize("engine", NAMES)
def test_no_more_than_a_thousand_violations_of_a_rule_are_reported_one_by_one(engine: str) -> None:
    completion = {"choices": [{}] * 3000, "object": "chat.completion", "a": 1}
    found = ViolationCache(load(engine)).violations_of("completion", completion).violations
    missing = [hit for rule, hit in found if rule == "missing-property"]
    assert len(missing) == 1001
    assert missing[-1].message == "8,003 more findings of this rule in this payload"
    assert [hit.pointer for rule, hit in found if rule == "unknown-property"] == [("a",)]


def test_the_faster_engine_is_chosen_where_it_is_installed() -> None:
    assert load().name == NAMES[0]
    assert [FAST.name, REFERENCE.name] == list(NAMES)


def test_engines_agree_that_conforming_fixtures_conform(payloads: list[Any]) -> None:
    assert payloads
    for payload in payloads:
        assert_equal(payload.kind, payload.value)


@pytest.mark.parametrize("rule", sorted(folder.name for folder in SINGLE.iterdir()))
def test_engines_agree_on_what_is_wrong_with_a_fixture(rule: str) -> None:
    paths = sorted((SINGLE / rule).glob("invalid-*.json"))
    assert paths
    for path in paths:
        kind = path.name.removeprefix("invalid-").partition("-")[0]
        value = json.loads(path.read_bytes())
        assert list(walk.iter_errors(kind, value)), path.name
        assert_equal(kind, value)


@settings(max_examples=4 * settings().max_examples, derandomize=True)
@given(data=st.data())
def test_engines_agree_on_damaged_payloads(payloads: list[Any], data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(payloads), label="payload")
    value = payload.value
    for change in data.draw(
        st.lists(st.sampled_from(list(payload.changes())), min_size=1, max_size=4), label="changes"
    ):
        value = change.to(value)
    assert_equal(payload.kind, value)


@pytest.mark.parametrize("kind", ["request", "completion", "chunk", "error"])
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", [], {}, [{}], {"a": {}}])
def test_engines_agree_on_what_is_no_payload_at_all(kind: str, value: object) -> None:
    assert_equal(kind, value)


@pytest.mark.parametrize("value", [101, "1", None, 1.7976931348623157e308, -(10**400), 2**64, 0.5])
def test_engines_agree_on_properties_that_look_like_indices_and_on_extreme_numbers(value: object) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert_equal("request", request | {"logit_bias": {"50256": value, "007": value, "7": value, "~/": value}})
    assert_equal("request", request | {"0": value, "00": value})
    assert_equal("request", request | {"seed": value, "temperature": value, "n": value})


def test_a_property_that_looks_like_an_index_is_named_as_it_is_written() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logit_bias": {"007": 101}}
    [(rule, hit)] = violations("request", request, walk.iter_errors("request", request))
    assert (rule, hit.pointer) == ("out-of-range", ("logit_bias", "007"))


@settings(max_examples=3 * settings().max_examples, derandomize=True)
@given(data=st.data())
def test_engines_agree_on_payloads_with_members_of_nobody(payloads: list[Any], data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(payloads), label="payload")
    value = copy.deepcopy(payload.value)
    objects = list(_objects(value))
    numbers = st.lists(st.integers(0, len(objects) - 1), min_size=1, max_size=3)
    for holder in [objects[number] for number in data.draw(numbers, label="objects")]:
        name = data.draw(st.sampled_from(["reasoning", "id", "", "50256", "content", "usage"]))
        holder[name] = copy.deepcopy(data.draw(st.sampled_from([None, "", 0, {}, []])))
    assert_equal(payload.kind, value)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(member)
