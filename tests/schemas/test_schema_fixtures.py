from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import schemas

FIXTURES = Path(__file__).parents[2] / "fixtures"
CONFORMING = sorted((FIXTURES / "conforming").glob("*/*.json"))
DEVIATING = sorted((FIXTURES / "schema").glob("*/invalid-*.json"))
VALID = sorted((FIXTURES / "schema").glob("*/valid-*.json"))
EXPECTED: dict[str, list[dict[str, str]]] = json.loads((Path(__file__).parent / "expected.json").read_text("utf-8"))
KEYWORDS = {
    "missing-property": {"required"},
    "documented-property-absent": {"required"},
    "wrong-type": {"type"},
    "null-value": {"type"},
    "unknown-value": {"enum", "const"},
    "out-of-range": {"minimum", "maximum"},
    "wrong-length": {"minLength", "maxLength", "minItems", "maxItems", "maxProperties"},
    "wrong-format": {"pattern"},
    "unknown-property": {"additionalProperties"},
}
Faults = Callable[[str, str, Any], list[Any]]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def payload_of(path: Path) -> tuple[str, Any]:
    """Return the kind and the payload of a fixture. If the fixture is a record, the payload is its request.

    A request is in a record if only its path shows that it is one.
    """
    value = json.loads(path.read_bytes())
    kind = path.name.removeprefix("invalid-").removeprefix("valid-").partition("-")[0]
    is_record = isinstance(value, dict) and "request" in value
    return kind, value["request"] if is_record else value


@cache
def compiled(kind: str, variant: str) -> tuple[Any, Any]:
    """Return the validators of both engines for a variant of the schemas."""
    document = schemas.bundle(kind, variant)
    return jsonschema_rs.Draft202012Validator(document), jsonschema.Draft202012Validator(document)


@pytest.mark.parametrize("variant", schemas.VARIANTS)
@pytest.mark.parametrize("kind", schemas.NAMES)
def test_conforming_payload_is_accepted_by_every_variant(kind: str, variant: str) -> None:
    for path in (one for one in CONFORMING if one.parent.name == kind):
        payload = json.loads(path.read_bytes())
        assert [validator.is_valid(payload) for validator in compiled(kind, variant)] == [True, True], path.name


@pytest.mark.parametrize("rule", KEYWORDS)
def test_deviating_payload_has_its_fault_at_its_place_and_no_other(rule: str, engine: str, faults: Faults) -> None:
    for path in (one for one in DEVIATING if one.parent.name == rule):
        found = faults(engine, *payload_of(path))
        expected = [(fault["keyword"], fault["pointer"], fault["severity"]) for fault in EXPECTED[name_of(path)]]
        assert sorted(found) == sorted(expected), path.name
        assert {fault.keyword for fault in found} <= KEYWORDS[rule], path.name


@pytest.mark.parametrize("rule", KEYWORDS)
def test_variants_reject_what_they_are_for(rule: str) -> None:
    for path in (one for one in DEVIATING if one.parent.name == rule):
        kind, payload = payload_of(path)
        accepted = {variant: compiled(kind, variant)[0].is_valid(payload) for variant in schemas.VARIANTS}
        expected = EXPECTED[name_of(path)]
        is_note = all(fault["severity"] == "note" or fault["keyword"] == "additionalProperties" for fault in expected)
        is_error = any(fault["severity"] == "error" for fault in expected)
        wanted = {"strict": False, "reference": rule == "documented-property-absent", "open": is_note}
        assert accepted == wanted | {"errors": not is_error}, path.name


def test_a_valid_fixture_has_notes_of_other_rules_at_most(engine: str, faults: Faults) -> None:
    found = [(path, fault) for path in VALID for fault in faults(engine, *payload_of(path))]
    assert VALID
    assert [(path.name, fault) for path, fault in found if fault.severity != "note"] == []


@pytest.mark.parametrize("payload", [{}, {"error": None}, {"error": "Incorrect API key provided."}])
def test_an_error_body_without_an_error_object_is_rejected(payload: Any, engine: str, faults: Faults) -> None:
    """Check the schema alone. These bodies have no fixture here: a whole check reports them by ``error-shape``."""
    assert [fault.severity for fault in faults(engine, "error", payload)] == ["error"]


def test_every_expectation_has_its_file_and_every_rule_its_folder() -> None:
    assert sorted(EXPECTED) == sorted(name_of(path) for path in DEVIATING)
    assert {path.parent.name for path in DEVIATING} == KEYWORDS.keys()
    assert {path.parent.name for path in CONFORMING} == set(schemas.NAMES)


def test_conforming_fixtures_use_every_member_the_schemas_describe() -> None:
    described: set[str] = set()
    for name in schemas.NAMES:
        document = schemas.validation_document(name)
        for schema in (document, *document.get("$defs", {}).values()):
            described |= schema.get("properties", {}).keys()
    text = "".join(path.read_text("utf-8") for path in CONFORMING)
    assert [member for member in sorted(described) if f'"{member}"' not in text] == []


@settings(max_examples=2 * settings().max_examples, derandomize=True)
@given(data=st.data())
def test_the_export_of_errors_rejects_exactly_what_has_an_error(faults: Faults, data: st.DataObject) -> None:
    """Damage conforming payloads: values become null, or get another type or value, and properties are added."""
    path = data.draw(st.sampled_from(CONFORMING), label="payload")
    value = json.loads(path.read_bytes())
    holders = [one for one in _containers(value) if one]
    for number in data.draw(st.lists(st.integers(0, len(holders) - 1), max_size=3), label="holders"):
        holder = holders[number]
        key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        holder[key] = data.draw(st.sampled_from([None, "", "other", 0, -1, 10**20, True, [], {}, 0.5]))
        if isinstance(holder, dict) and data.draw(st.booleans()):
            holder["added"] = 1
    kind = path.parent.name
    accepted = compiled(kind, "errors")[0].is_valid(value)
    assert accepted is not any(fault.severity == "error" for fault in faults("jsonschema_rs", kind, value))


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)
