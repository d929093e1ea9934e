"""Test templates with small schemas of the forms that the reference has: each accepts no other violations."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest

from isogloss import schemas
from isogloss.validator import engines
from isogloss.validator.engines import load, walk
from isogloss.validator.examining import violation_cache
from isogloss.validator.examining.schema_findings import Violation, violations
from isogloss.validator.examining.violation_cache import ViolationCache

SCALARS = [None, True, 0, 1, 1.0, 2.5, "", "x", "y", "xy"]
FEW = [None, 1, "x", "xy", {}]
OBJECTS = [{}, *({name: value} for name in "ab" for value in [*SCALARS, {}, {"a": 1}, ["x"]])] + [
    one
    for first, second in product(["x", "y", *FEW], FEW)
    for one in ({"a": first, "b": second}, {"b": second, "a": first})
]
ARRAYS = [[], *([value] for value in [*SCALARS, {"a": 1}]), *map(list, product(FEW, FEW))]
VALUES = [*SCALARS, *OBJECTS, *ARRAYS]

WORD = {"type": "string", "enum": ["x", "y"]}
INNER = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}, "additionalProperties": False}
PART = {**INNER, "properties": {"a": {"$ref": "#/$defs/Word"}}}
IS_X = {"type": "object", "required": ["a"], "properties": {"a": {"const": "x"}}}
HAS_B = {"required": ["b"]}
FORMS = {
    "type": {"type": ["string", "null"]},
    "type of a container": {"type": ["string", "array"], "items": {"type": "string"}},
    "type and parts that count beside it": {"type": "string", "properties": {"a": {"type": "string"}}},
    "enumeration": WORD,
    "enumeration with null": {"type": ["string", "null"], "enum": ["x", None]},
    "enumeration without a type": {"enum": ["x", 2]},
    "constant": {"const": "x"},
    "constant in an enumeration": {"type": "string", "enum": ["x", "y"], "const": "x"},
    "pattern": {"type": "string", "pattern": "^x"},
    "pattern and length": {"type": "string", "minLength": 1, "maxLength": 1, "pattern": "^x*$"},
    "range": {"type": ["number", "null"], "minimum": 1, "maximum": 2},
    "length without a type": {"maxLength": 1, "maxItems": 1},
    "object": {"type": "object", "required": ["a", "b"], "properties": {"a": WORD, "b": {"type": "integer"}}},
    "closed object": {**INNER, "properties": {"a": {"type": "string", "pattern": "^x"}}},
    "closed object or null": {**INNER, "type": ["object", "null"]},
    "object without a type": {"required": ["a"], "properties": {"b": WORD}},
    "closed object without a type": {"properties": {"a": True}, "additionalProperties": False},
    "map": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string", "maxLength": 1}},
    "map beside properties": {"required": ["b"], "properties": {"a": WORD}, "additionalProperties": WORD},
    "names": {"type": "object", "required": ["b"], "propertyNames": {"pattern": "^a"}},
    "array": {"type": ["array", "null"], "items": WORD, "minItems": 1, "maxItems": 1},
    "array without a type": {"items": {"type": "string"}},
    "array of objects": {"type": "array", "items": INNER},
    "array of arrays": {"items": {"items": {"type": "string"}}},
    "reference": {"$ref": "#/$defs/Part"},
    "reference beside a demand": {"$ref": "#/$defs/Part", "properties": {"a": {"enum": ["x", {}]}}},
    "references in an object": {"properties": {"a": WORD, "b": {"$ref": "#/$defs/Part"}}, "required": ["a"]},
    "references in an array": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
    "map of references": {"additionalProperties": {"$ref": "#/$defs/Part"}, "required": ["a"]},
    "discriminator": {
        "required": ["a"],
        "properties": {"a": WORD},
        "allOf": [
            {"if": IS_X, "then": {**INNER, "required": ["b"], "properties": {"a": True, "b": WORD}}},
            {"if": {"properties": {"a": {"const": "y"}}}, "then": {"properties": {"b": {"type": "null"}}}},
        ],
    },
    "condition on the type": {
        "type": ["string", "object"],
        "allOf": [{"if": {"type": "string"}, "then": WORD}, {"if": {"type": "object"}, "then": INNER}],
    },
    "condition and its opposite": {"if": IS_X, "then": HAS_B, "else": {"properties": {"b": {"type": "integer"}}}},
    "condition on a reference": {"if": {"$ref": "#/$defs/Part"}, "then": {"required": ["b"]}, "else": {"type": "null"}},
    "condition with one branch": {"required": ["b"], "if": IS_X, "else": {"properties": {"a": {"type": "integer"}}}},
}


@pytest.fixture
def kind(form: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a kind that is the text of its schema. The first payload with violations has a template already."""
    document = {"$id": "urn:made-up", "properties": {"v": FORMS[form]}, "$defs": {"Part": PART, "Word": WORD}}
    monkeypatch.setattr(schemas, "validation_document", cache(json.loads))
    kind = json.dumps(document)
    monkeypatch.setitem(violation_cache._WORTH, kind, 1)
    monkeypatch.setattr(violation_cache, "_LEAST_ALIKE", 1)
    return kind


def _violations(kind: str, payload: object) -> tuple[Violation, ...]:
    return violations(kind, payload, walk.iter_errors(kind, payload))


@pytest.mark.parametrize("form", FORMS)
def test_payload_that_a_template_accepts_has_the_violations_of_its_payload(kind: str) -> None:
    payloads = [{"v": value} for value in VALUES]
    found = [_violations(kind, payload) for payload in payloads]
    known = ViolationCache(load())
    for payload in payloads:
        violated = known.violations_of(kind, payload)
        assert violated.matches(payload) or violated.matches is violation_cache._never
        likewise = [one for one, other in zip(found, payloads, strict=True) if violated.matches(other)]
        assert all(one == violated.violations for one in [_violations(kind, payload), *likewise]), payload


@pytest.mark.parametrize("form", ["array of arrays"])
def test_a_payload_with_very_many_errors_is_not_known_by_the_first_of_them(kind: str) -> None:
    rows, rest = divmod(violation_cache._MOST_ERRORS, 60)
    known = ViolationCache(load())
    for last_row in ([None] * 60, [*[None] * rest, *["x"] * (60 - rest)]):
        payload = {"v": [*[[None] * 60] * rows, last_row]}
        assert known.violations_of(kind, payload).violations == _violations(kind, payload)


@pytest.mark.parametrize("form", ["enumeration"])
def test_only_a_cache_that_keeps_what_it_saw_knows_a_payload_again(kind: str) -> None:
    for keep in (True, False):
        known = ViolationCache(load(), keep=keep)
        first = known.violations_of(kind, {"v": None})
        assert first.matches({"v": None}) == keep
        assert (known.violations_of(kind, {"v": None}) is first) == keep


@pytest.mark.parametrize("form", ["enumeration"])
@pytest.mark.parametrize("limit", ["_MOST_TEMPLATES", "_MOST_IN_BUCKET"])
def test_a_cache_forgets_the_oldest_payloads(kind: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(violation_cache, limit, 3)
    known = ViolationCache(load())
    first, *_, third = [known.violations_of(kind, {"v": word}) for word in ("a", "b", "c")]
    assert known.violations_of(kind, {"v": "c"}) is third
    known.violations_of(kind, {"v": "d"})
    assert known.violations_of(kind, {"v": "a"}) is not first


@pytest.mark.parametrize("form", ["enumeration"])
def test_no_template_is_made_for_values_that_were_seen_rarely(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _counted_templates(monkeypatch)
    monkeypatch.setitem(violation_cache._WORTH, kind, 3)
    known = ViolationCache(load())
    for number in range(100):
        known.violations_of(kind, {"v": f"x{number}"})
    assert not made
    for _ in range(5):
        known.violations_of(kind, {"v": "z"})
    assert len(made) == 1


@pytest.mark.parametrize("form", ["enumeration"])
@pytest.mark.parametrize("limit", ["_MOST_TEMPLATES", "_MOST_IN_BUCKET"])
def test_templates_that_replace_each_other_are_made_rarely(
    kind: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _counted_templates(monkeypatch)
    monkeypatch.setattr(violation_cache, limit, 3)
    monkeypatch.setitem(violation_cache._WORTH, kind, 10)
    known = ViolationCache(load())
    for number in range(1000):
        known.violations_of(kind, {"v": f"x{number % 5}"})
    assert 0 < len(made) <= 1000 / 10


def _counted_templates(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    made: list[object] = []

    def new_predicate(schema: dict[str, Any]) -> Callable[[object], bool]:
        made.append(schema)
        return engines.new_predicate(schema)

    monkeypatch.setattr(violation_cache, "new_predicate", new_predicate)
    return made
