"""Test that a dialect explains all findings on a payload exactly when its compiled schema accepts the payload."""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import schemas
from isogloss.validator import engines
from isogloss.validator.dialects.explanations import Explanations, ObservedFinding
from isogloss.validator.dialects.model import dialect
from isogloss.validator.engines import walk
from isogloss.validator.examining.examined import RuleHit
from isogloss.validator.examining.placing import value_at
from isogloss.validator.examining.schema_findings import violations
from isogloss.validator.pointer import generic, pointers_and_values

FIXTURES = Path(__file__).parents[3] / "fixtures"
PAYLOADS = {
    kind: [json.loads(path.read_text()) for path in sorted((FIXTURES / "conforming" / kind).glob("*.json"))]
    for kind in schemas.NAMES
}
JUNK_VALUES: list[Any] = [None, "", "junk", 0, -1, 1.5, True, [], {}, [1], {"junk": 1}, "stop", "assistant"]


def is_explained(slug: str, kind: str, payload: object) -> bool:
    """Return whether the dialect explains every violation of the kind's schema in the payload."""
    return all(
        _explanations(slug).facts(
            ObservedFinding(
                rule, kind, generic(hit.pointer), RuleHit(rule, hit, "response"), payload, value_at(payload, hit)
            )
        )
        for rule, hit in violations(kind, payload, walk.iter_errors(kind, payload))
    )


@cache
def _explanations(slug: str) -> Explanations:
    return Explanations([dialect(slug)])


def _sample(schema: dict[str, Any], rng: random.Random) -> Any:
    """Return a value for a place with that schema. The value need not satisfy the whole schema."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return _sample(rng.choice(schema["anyOf"]), rng)
    types = schema.get("type", "string")
    type_ = types if isinstance(types, str) else rng.choice(types)
    return {"string": "x", "integer": 3, "number": 0.5, "boolean": True, "null": None, "array": [], "object": {}}[type_]


def _mutate(payload: Any, slug: str, kind: str, rng: random.Random) -> None:
    """Change the payload in place: make one of the dialect's deviations, or a random change."""
    deviations = [deviation for deviation in dialect(slug).deviations if kind in deviation.kinds]
    if deviations and rng.random() < 0.7:
        deviation = rng.choice(deviations)
        *holder, last = deviation.steps
        found = list(pointers_and_values(payload, tuple(holder)))
        for _, parent in found[: rng.randint(1, 2)]:
            if isinstance(parent, dict) and deviation.absent:
                parent.pop(last, None)
            elif isinstance(parent, dict):
                parent[last] = _sample(dict(deviation.schema or {}), rng)
        return
    objects = [payload]
    for value in objects:
        objects.extend(
            inner for inner in (value.values() if isinstance(value, dict) else value) if isinstance(inner, dict | list)
        )
    parent = rng.choice(objects)
    if isinstance(parent, dict):
        name = rng.choice([*parent, "added"])
        if name in parent and rng.random() < 0.3:
            del parent[name]
        else:
            parent[name] = copy.deepcopy(rng.choice(JUNK_VALUES))
    elif parent:
        parent[rng.randrange(len(parent))] = copy.deepcopy(rng.choice(JUNK_VALUES))


@pytest.mark.thorough
@pytest.mark.parametrize("slug", schemas.dialects())
def test_compiled_schemas_of_a_dialect_are_valid_and_accept_conforming_payloads(slug: str) -> None:
    for kind in schemas.NAMES:
        compiled = schemas.dialect_bundle(kind, schemas.dialect(slug))
        jsonschema_rs.meta.validate(compiled)
        accepts = engines.predicate(compiled)
        assert all(accepts(payload) for payload in PAYLOADS[kind])


@settings(max_examples=6 * settings().max_examples)
@given(
    st.sampled_from(schemas.dialects() or ("openai",)),
    st.sampled_from(schemas.NAMES),
    st.randoms(use_true_random=False),
)
def test_every_finding_is_explained_exactly_when_the_compiled_schema_accepts_the_payload(
    slug: str, kind: str, rng: random.Random
) -> None:
    payload = copy.deepcopy(rng.choice(PAYLOADS[kind]))
    for _ in range(rng.randint(1, 4)):
        _mutate(payload, slug, kind, rng)
    accepts = engines.predicate(schemas.dialect_bundle(kind, schemas.dialect(slug)))
    assert is_explained(slug, kind, payload) == accepts(payload), json.dumps(payload)
