"""Test templates with small schemas of the forms that the reference has: each accepts no other violations."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest

from isogloss import schemas
from isogloss.validator.engines import predicate, walk
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.examining.templates import SchemaDocument, template
from isogloss.validator.pointer import Pointer, follow

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
    "condition with one branch": {"required": ["b"], "if": IS_X, "else": {"properties": {"a": {"type": "integer"}}}},
}


@pytest.fixture(autouse=True)
def kinds_are_their_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the text of a schema be a kind, whose payloads the schema describes."""
    monkeypatch.setattr(schemas, "validation_document", cache(json.loads))


def _holds(document: dict[str, Any]) -> Callable[[Pointer, object], bool]:
    tests = cache(lambda at: predicate(follow(document, at)))  # type: ignore[arg-type]
    return lambda at, value: tests(at)(value)


@pytest.mark.parametrize("form", FORMS)
def test_payload_that_a_template_accepts_has_the_violations_of_its_payload(form: str) -> None:
    document = {"$id": form, "type": "object", "properties": {"v": FORMS[form]}, "$defs": {"Part": PART, "Word": WORD}}
    kind, holds = json.dumps(document), _holds(document)
    payloads = [{"v": value} for value in VALUES]
    errors = [list(walk.iter_errors(kind, payload)) for payload in payloads]
    found = [violations(kind, payload, some) for payload, some in zip(payloads, errors, strict=True)]
    for payload, some, expected in zip(payloads, errors, found, strict=True):
        schema = template(SchemaDocument(document), payload, some, holds) if some else None
        if schema is not None:
            accepts = predicate(schema)
            assert accepts(payload)
            likewise = [found[number] for number, other in enumerate(payloads) if accepts(other)]
            assert all(one == expected for one in likewise), (payload, schema)
